public import FoundationEssentials
public import IdentityKit

/// The claims of a validated ID token (OpenID Connect Core section 2).
public struct IDTokenClaims: Sendable {
    /// `iss`.
    public let issuer: String
    /// `sub`.
    public let subject: String
    /// `auth_time`, if present.
    public let authenticatedAt: Date?
    /// `azp`, if present.
    public let authorizedParty: String?
    /// All claims, for those that the provider defines itself.
    public let all: JSONObject

    /// Creates claims, for tests of ``OpenIDQuirks/buyer(from:)``: only a validated ID token proves who the buyer is.
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

    /// The buyer by the standard claims (OpenID Connect Core section 5.1).
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

    /// The provider's session id (`sid`); nil also for one that is too long for a logout token.
    package var providerSessionID: String? {
        text("sid").flatMap { $0.utf8.count <= LogoutTokenValidator.maximumIDBytes ? $0 : nil }
    }

    /// A string claim; nil if it is missing, empty or not a string.
    public func text(_ name: String) -> String? {
        (all[name]?.string).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A contact claim, which is verified if the flag claim is the boolean true.
    public func contact(_ name: String, verifiedBy flag: String) -> Buyer.Contact? {
        text(name).map { Buyer.Contact($0, isVerified: all[flag]?.bool == true) }
    }
}
