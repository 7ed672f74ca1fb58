internal import IdentityKit

/// Gets a valid access token and says how it was got.
struct TokenCommand: Command {
    static let name = "token"
    static let usage = "token --session ID [--valid-for SECONDS] [--reveal]"
    static let summary = "Get a valid access token, renewed where needed; print when it expires."
    static let options: [Option] = [.session, validFor, reveal]
    static let examples = [
        "identity-lab token --session ID",
        "identity-lab token --session ID --valid-for 600 --json",
    ]
    private static let validFor = Option(
        name: "--valid-for",
        form: .value("SECONDS"),
        help: "How long the token must still be good; 60 unless given, less where the provider's tokens live shorter."
    )
    private static let reveal = Option(
        name: "--reveal",
        form: .flag,
        help: "Print the token itself. Whoever sees it is the buyer."
    )

    private let session: SessionID
    private let validFor: Duration?
    private let reveals: Bool

    init(_ arguments: Arguments) throws {
        session = try arguments.sessionID(of: Self.self)
        reveals = arguments.contains(Self.reveal)
        guard let text = arguments[Self.validFor] else {
            validFor = nil
            return
        }
        guard let seconds = Int(text), (0...31_536_000).contains(seconds) else {
            throw UsageError("--valid-for must be a whole number of seconds, a year at most.", command: Self.self)
        }
        validFor = .seconds(seconds)
    }

    func run(_ lab: Lab) async throws {
        let deployment = try await lab.deployment()
        var got: SessionTokens
        do {
            got = try await deployment.sessions.tokens(for: session, validFor: validFor)
        } catch {
            // Who was interrupted begins nothing new.
            if Task.isCancelled { await deployment.drain() } else { await deployment.repairAndDrain() }
            throw error
        }
        await deployment.repairAndDrain()
        // An early refresh goes on behind the first call. When it failed, the second call says why.
        if got.outcome == .stored,
            let again = try? await deployment.sessions.tokens(for: session, validFor: validFor),
            again.outcome == .stillValid
        {
            got = again
        }
        let warnings = lab.lostTokens.warning.map { ["\($0.code): \($0.message)"] } ?? []
        let expiresAt = got.tokens.expiresAt?.rfc3339
        var text =
            "\(Self.words(got.outcome)); \(expiresAt.map { "good until \($0)" } ?? "the provider did not say until when")"
        var members: JSONObject = [
            "outcome": .string(got.outcome.rawValue),
            "expires_at": expiresAt.map { .string($0) } ?? .null,
            "warnings": .array(warnings.map { .string($0) }),
        ]
        if let reason = got.reason {
            members["reason"] = .string("\(reason.code): \(reason.message)")
            text += "\nThe refresh failed: \(reason.message) [\(reason.code)]"
        }
        guard reveals else { return lab.output.event("token", members, text: text) }
        let token = got.tokens.accessToken.reveal()
        members["access_token"] = .string(token)
        lab.output.event("token", members, text: "\(text)\n\(token.printable)")
    }

    static func words(_ outcome: TokenOutcome) -> String {
        switch outcome {
        case .stored: "The stored token is good"
        case .renewedEarly: "The token was renewed before it expired"
        case .renewedLate: "The token had expired and was renewed"
        case .waited: "Somebody else renewed the token meanwhile"
        case .stillValid: "The token cannot be renewed now, but is still good"
        default: outcome.rawValue.printable
        }
    }
}

extension Arguments {
    /// The session that was named.
    func sessionID(of command: any Command.Type) throws(UsageError) -> SessionID {
        guard let id = SessionID(rawValue: try require(.session, of: command)) else {
            throw UsageError("--session is no session id: 22 characters, as login prints them.", command: command)
        }
        return id
    }
}
