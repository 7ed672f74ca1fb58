package import FoundationEssentials
package import IdentityKit

/// The claims of an ID token that has passed every check.
package struct IDTokenClaims: Sendable {
    package let issuer: String
    package let subject: String
    package let authenticatedAt: Date?
    package let authorizedParty: String?
    /// All claims, for what a provider adds of its own.
    package let all: JSONObject

    /// The buyer by the standard claims (OpenID Connect Core section 5.1).
    package var standardBuyer: Buyer {
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

    /// The provider's own name for the session (`sid`); one that no logout token could name is as good as none.
    package var providerSessionID: String? {
        text("sid").flatMap { $0.utf8.count <= LogoutTokenValidator.maximumNameBytes ? $0 : nil }
    }

    /// A text claim that is not empty.
    package func text(_ name: String) -> String? {
        (all[name]?.string).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A contact; verified only by the boolean true, never by a text or a number.
    package func contact(_ name: String, verifiedBy flag: String) -> Buyer.Contact? {
        text(name).map { Buyer.Contact($0, isVerified: all[flag]?.bool == true) }
    }
}
