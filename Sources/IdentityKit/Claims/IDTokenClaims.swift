public import FoundationEssentials

/// The claims of a validated ID token (OpenID Connect Core section 2).
///
/// ``Session/claims`` and ``TokenSet/claims`` contain the claims of the newest ID token:
///
/// ```swift
/// let session = try await sessions.session(id)
/// guard session.claims?.authenticationContext == "urn:example:two-factor" else { return askForSecondFactor() }
/// let groups = session.claims?["groups"]?.array ?? []
/// ```
///
/// Claims of the UserInfo endpoint are of another type, ``UserInfoClaims``, because they do not prove that the buyer has signed in.
public struct IDTokenClaims: Sendable {
    /// `iss`: the issuer of the ID token.
    public let issuer: String
    /// `sub`: the buyer's identifier at the issuer.
    public let subject: String
    /// `auth_time`, if present: when the buyer authenticated.
    public let authenticatedAt: Date?
    /// `azp`, if present: the client to which the ID token was issued.
    public let authorizedParty: String?
    /// All claims, including those that the provider defines.
    ///
    /// The SDK's token sets omit the claims that only validation needs (`nonce`, `at_hash`, `c_hash`, `s_hash`). They also omit references
    /// to claims of other issuers, which the SDK does not verify (`_claim_names`, `_claim_sources`, OpenID Connect Core section 5.6.2).
    public let all: JSONObject

    /// Creates claims, for tests and for providers that validate ID tokens themselves.
    ///
    /// Only a validated ID token proves who the buyer is.
    public init(
        issuer: String,
        subject: String,
        authenticatedAt: Date? = nil,
        authorizedParty: String? = nil,
        all: JSONObject
    ) {
        self.issuer = issuer
        self.subject = subject
        self.authenticatedAt = authenticatedAt
        self.authorizedParty = authorizedParty
        self.all = all
    }

    /// A claim; nil if it is missing.
    public subscript(name: String) -> JSONValue? { all[name] }

    /// `acr`: which authentication context the login satisfied; nil if it is missing, empty or not a string.
    public var authenticationContext: String? { text("acr") }

    /// `amr`: how the buyer authenticated, for example `pwd` and `otp` (RFC 8176); empty if it is missing or not a list of strings.
    public var authenticationMethods: [String] { all["amr"]?.strings ?? [] }

    /// `sid`: the provider's session id; nil if it is missing, empty, not a string or longer than 512 bytes.
    public var providerSessionID: String? {
        text("sid").flatMap { $0.utf8.count <= Self.maximumSessionIDBytes ? $0 : nil }
    }

    /// The longest accepted `sid` in bytes, in an ID token and in a logout token.
    package static let maximumSessionIDBytes = 512

    /// The buyer whom the standard claims describe (OpenID Connect Core section 5.1).
    public var standardBuyer: Buyer {
        Buyer(
            issuer: issuer,
            subject: subject,
            email: contact("email", verifiedBy: "email_verified"),
            phone: contact("phone_number", verifiedBy: "phone_number_verified"),
            givenName: text("given_name"),
            familyName: text("family_name"),
            displayName: text("name")
        )
    }

    /// A string claim; nil if it is missing, empty or not a string.
    public func text(_ name: String) -> String? {
        (all[name]?.string).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A contact claim, such as `email`; nil if it is missing, empty or not a string.
    ///
    /// The contact is verified if the claim with the name `flag` is the boolean true.
    public func contact(_ name: String, verifiedBy flag: String) -> Buyer.Contact? {
        text(name).map { Buyer.Contact($0, isVerified: all[flag]?.bool == true) }
    }
}

extension IDTokenClaims: Redacted {
    /// The issuer; no personal data.
    public var description: String { "IDTokenClaims(issuer: \(issuer), <redacted>)" }
}

extension IDTokenClaims {
    /// The claims that a session keeps; ``all`` says which claims are omitted.
    package var kept: IDTokenClaims {
        IDTokenClaims(
            issuer: issuer,
            subject: subject,
            authenticatedAt: authenticatedAt,
            authorizedParty: authorizedParty,
            all: all.withoutUnverifiedClaims(or: ["nonce", "at_hash", "c_hash", "s_hash"])
        )
    }

    func write(to record: inout RecordWriter) {
        record.append("iss", issuer)
        record.append("sub", subject)
        record.append("auth_time", authenticatedAt)
        record.append("azp", authorizedParty)
        record.append("all", .object(all))
    }

    init?(record value: RecordReader) {
        guard let issuer = value["iss"]?.string, let subject = value["sub"]?.string,
            let all = value["all"]?.json?.object
        else { return nil }
        self.init(
            issuer: issuer,
            subject: subject,
            authenticatedAt: value["auth_time"]?.date,
            authorizedParty: value["azp"]?.string,
            all: all
        )
    }
}

extension JSONObject {
    /// A copy without references to claims of other issuers (OpenID Connect Core section 5.6.2), and without the members in `names`.
    func withoutUnverifiedClaims(or names: [String] = []) -> JSONObject {
        let omitted = ["_claim_names", "_claim_sources"] + names
        var object = JSONObject(capacity: members.count)
        for member in members where !omitted.contains(where: { $0.isIdentical(to: member.name) }) {
            object.append(member.name, member.value)
        }
        return object
    }
}
