internal import IdentityKit

struct ShopifyConfigurationProblem: Error {
    let member: String
    let problem: String
    let hint: String
    var reference = "Customer Account API reference"

    /// Returns the problem as an error; its message begins with `owner`, the name of the object that contains the invalid member.
    func error(of owner: String = "The Shopify configuration's") -> IdentityError {
        IdentityError(
            configuration: "\(owner) \(member) \(problem).",
            hint: hint,
            reference: reference
        )
    }
}
