internal import IdentityKit

/// An invalid member of a Shopify configuration, or of the options of a login at Shopify.
struct ShopifyConfigurationProblem: Error {
    let member: String
    let problem: String
    let hint: String

    var error: IdentityError { makeError(about: "The Shopify configuration's") }

    /// The error if the member is one of a login's options.
    var loginOptionsError: IdentityError { makeError(about: "The login options'") }

    private func makeError(about owner: String) -> IdentityError {
        IdentityError(
            configuration: "\(owner) \(member) \(problem).",
            hint: hint,
            reference: "Customer Account API reference, authorization"
        )
    }
}
