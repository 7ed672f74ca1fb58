internal import IdentityKit

/// An invalid member of a Shopify configuration, or of the options of a login at Shopify.
struct ShopifyConfigurationProblem: Error {
    let member: String
    let problem: String
    let hint: String
    var reference = "Customer Account API reference"

    /// The error with this problem; `owner` begins the message and names what contains the member.
    func error(of owner: String = "The Shopify configuration's") -> IdentityError {
        IdentityError(
            configuration: "\(owner) \(member) \(problem).",
            hint: hint,
            reference: reference
        )
    }
}
