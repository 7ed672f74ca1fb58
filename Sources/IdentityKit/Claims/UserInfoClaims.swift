/// The claims of a provider's UserInfo endpoint (OpenID Connect Core section 5.3).
///
/// The claims are the provider's current data, and a session does not store them. ``SessionManager/userInfo(for:)`` returns only claims
/// whose `sub` equals the subject of the session. Only ``IDTokenClaims`` prove that the buyer has signed in.
///
/// ```swift
/// let info = try await sessions.userInfo(for: id)
/// let locale = info["locale"]?.string
/// ```
public struct UserInfoClaims: Sendable {
    /// The issuer of the login; its UserInfo endpoint returned the claims.
    public let issuer: String
    /// `sub`: the buyer's identifier; in claims from ``SessionManager/userInfo(for:)``, the same bytes as the session's subject.
    public let subject: String
    /// All claims, without references to claims of other issuers (OpenID Connect Core section 5.6.2).
    public let all: JSONObject

    /// Creates claims, for providers that read a UserInfo endpoint themselves.
    public init(issuer: String, subject: String, all: JSONObject) {
        self.issuer = issuer
        self.subject = subject
        self.all = all.withoutUnverifiedClaims()
    }

    /// A claim; nil if it is missing.
    public subscript(name: String) -> JSONValue? { all[name] }
}

extension UserInfoClaims: Redacted {
    /// The issuer; no personal data.
    public var description: String { "UserInfoClaims(issuer: \(issuer), <redacted>)" }
}

/// A provider with a UserInfo endpoint.
public protocol UserInfoProviding: Sendable {
    /// Requests the claims from the UserInfo endpoint.
    ///
    /// - Returns: The claims. ``SessionManager`` refuses claims about another subject than the buyer of the tokens.
    /// - Throws: ``IdentityError``; with code ``IdentityError/Code/accessTokenRefused`` if the endpoint may accept a newer access token.
    func userInfo(for tokens: TokenSet) async throws -> UserInfoClaims
}

extension IdentityError {
    package static var foreignUserInfo: IdentityError {
        IdentityError(
            .rejected,
            .idTokenSubject,
            "The UserInfo response is from another issuer, or its sub is missing, is not a string, or belongs to another buyer.",
            hint: "Try again. If this error happens again, report it to the provider. The response was not used.",
            reference: "OpenID Connect Core section 5.3.2"
        )
    }
}
