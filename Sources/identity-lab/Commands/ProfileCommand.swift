internal import IdentityKit

struct ProfileCommand: Command {
    static let name = "profile"
    static let summary = "Fetch the buyer's profile from the provider; a profile of another subject is an error."
    static let options: [Option] = [.session]
    static let examples = [
        "identity-lab profile --session ID",
        "identity-lab profile --session ID --json",
    ]

    private let session: SessionArgument

    init(_ arguments: Arguments) throws {
        session = try arguments.session()
    }

    func run(_ lab: Lab) async throws {
        let deployment = try await lab.deployment()
        let session = try await session.id(in: deployment.sessions)
        lab.output.profile(try await deployment.draining { try await deployment.sessions.buyerProfile(for: session) })
    }
}

extension Output {
    /// Prints a buyer; members have the names of OpenID Connect Core section 5.1, and a member without a known value is null.
    fileprivate func profile(_ buyer: Buyer) {
        func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
        func line(_ contact: Buyer.Contact?) -> String? {
            contact.map { "\($0.value.printable) (\($0.isVerified ? "verified" : "not verified"))" }
        }
        let lines = [
            buyer.displayName?.printable, line(buyer.email), line(buyer.phone),
            "subject \(buyer.subject.printable) at \(buyer.issuer.printable)",
        ]
        event(
            "profile",
            [
                "issuer": .string(buyer.issuer),
                "subject": .string(buyer.subject),
                "name": text(buyer.displayName),
                "given_name": text(buyer.givenName),
                "family_name": text(buyer.familyName),
                "email": text(buyer.email?.value),
                "email_verified": buyer.email.map { .bool($0.isVerified) } ?? .null,
                "phone_number": text(buyer.phone?.value),
                "phone_number_verified": buyer.phone.map { .bool($0.isVerified) } ?? .null,
            ],
            text: lines.compactMap(\.self).joined(separator: "\n")
        )
    }
}
