public import IdentityKit

/// Decides what a shop does with a buyer who has signed in at Bolt, by the rule of Bolt's single sign-on guide.
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
    /// A customer of the shop is linked to the buyer's subject: sign in that customer.
    case signIn
    /// No customer is linked to the buyer's subject, and no customer has the buyer's e-mail address: create a customer.
    case create
    /// A customer has the buyer's e-mail address, and Bolt has verified the address: link the subject to that customer.
    case link
    /// A customer has the buyer's e-mail address, but Bolt has not verified the address: the buyer may be a different person.
    case refuse

    /// Decides what the shop does with `buyer`, who comes from a validated ID token.
    ///
    /// `subjectIsKnown` says whether a customer is linked to the buyer's issuer and subject. `emailIsKnown` says whether a customer has the
    /// buyer's e-mail address.
    public static func decide(for buyer: Buyer, subjectIsKnown: Bool, emailIsKnown: Bool) -> BoltAccountLink {
        if subjectIsKnown { return .signIn }
        guard let email = buyer.email, emailIsKnown else { return .create }
        return email.isVerified ? .link : .refuse
    }
}
