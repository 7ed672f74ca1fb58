internal import IdentityKit

/// Which issuers a client accepts: an explicit set, or a form that a provider's documents promise.
package struct IssuerPolicy: Sendable {
    private let accepts: @Sendable (String) -> Bool
    /// What is accepted, in words for an error message.
    package let summary: String

    /// Accepts exactly these issuers, compared byte for byte.
    package static func exactly(_ issuers: [String]) -> IssuerPolicy {
        IssuerPolicy(summary: issuers.joined(separator: " or ")) { issuer in
            issuers.contains { $0.isIdentical(to: issuer) }
        }
    }

    package init(summary: String, accepts: @escaping @Sendable (String) -> Bool) {
        self.summary = summary
        self.accepts = accepts
    }

    package func isAccepted(_ issuer: String) -> Bool {
        accepts(issuer)
    }
}
