public import IdentityKit

/// What a shop does with a Bolt buyer who may already be one of its customers, by the rule of Bolt's single sign-on guide.
///
/// ```swift
/// switch BoltAccountLink.decide(for: buyer, subjectIsKnown: isLinked, emailIsKnown: hasEmail) {
/// case .signIn: signIn(buyer)
/// case .create: createCustomer(for: buyer)
/// case .link: link(buyer)
/// case .refuse: refuse(buyer)
/// }
/// ```
public enum BoltAccountLink: Sendable, Equatable {
    /// The subject belongs to a customer: sign in that customer.
    case signIn
    /// No customer is linked to the subject, and none has the buyer's e-mail address, if there is one: create a customer.
    case create
    /// The e-mail address is a customer's, and Bolt verified it: link the subject to that customer.
    case link
    /// The e-mail address is a customer's, but it is not verified: linking could give another person access to that customer.
    case refuse

    /// Decides what the shop does with the buyer; a pure function.
    ///
    /// - Parameters:
    ///   - buyer: Who signed in, from a validated ID token.
    ///   - subjectIsKnown: Whether a customer is linked to the buyer's issuer and subject.
    ///   - emailIsKnown: Whether a customer has the buyer's e-mail address.
    /// - Returns: Whether to sign in, create, link or refuse.
    public static func decide(for buyer: Buyer, subjectIsKnown: Bool, emailIsKnown: Bool) -> BoltAccountLink {
        if subjectIsKnown { return .signIn }
        guard let email = buyer.email, emailIsKnown else { return .create }
        return email.isVerified ? .link : .refuse
    }
}
