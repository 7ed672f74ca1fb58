public import IdentityKit

/// What a shop does with a Bolt buyer whom its own customer list may already know: the rule of Bolt's single sign-on guide.
public enum BoltAccountLink: Sendable, Equatable {
    /// The subject belongs to a customer: sign that one in.
    case signIn
    /// Neither subject nor e-mail address is known: create a customer.
    case create
    /// The e-mail address is a customer's and Bolt has verified it: link the subject to that customer.
    case link
    /// The e-mail address is a customer's but not verified: linking would give the customer away.
    case refuse

    /// Decides; a pure function of what the shop knows.
    ///
    /// - Parameters:
    ///   - buyer: Who signed in, from a validated ID token.
    ///   - subjectIsKnown: Whether a customer is linked to the buyer's issuer and subject.
    ///   - emailIsKnown: Whether a customer has the buyer's e-mail address.
    public static func decide(for buyer: Buyer, subjectIsKnown: Bool, emailIsKnown: Bool) -> BoltAccountLink {
        if subjectIsKnown { return .signIn }
        guard let email = buyer.email, emailIsKnown else { return .create }
        return email.isVerified ? .link : .refuse
    }
}
