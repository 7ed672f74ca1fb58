internal import IdentityKit

/// How one kind of signed token is refused.
struct TokenRefusal: Sendable {
    /// What errors call the token.
    let token: String
    /// What errors advise.
    let hint: String

    /// An error; a section is one of OpenID Connect Core, unless a specification stands before it.
    func error(_ code: IdentityError.Code, _ problem: String, _ section: String) -> IdentityError {
        IdentityError(
            .rejected,
            code,
            "The \(token) \(problem).",
            hint: hint,
            reference: section.hasPrefix("section") ? "OpenID Connect Core \(section)" : section
        )
    }
}
