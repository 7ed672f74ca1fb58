internal import IdentityKit

/// An invalid member of a configuration or of a login's options.
struct ShopifyConfigurationProblem: Error {
    let member: String
    let problem: String
    let hint: String

    var error: IdentityError { makeError(about: "The Shopify configuration's") }

    /// The error for this problem in the options of one login.
    var loginOptionsError: IdentityError { makeError(about: "The login options'") }

    private func makeError(about owner: String) -> IdentityError {
        IdentityError(
            configuration: "\(owner) \(member) \(problem).",
            hint: hint,
            reference: "Customer Account API reference, authorization"
        )
    }
}
