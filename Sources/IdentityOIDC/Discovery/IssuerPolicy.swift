internal import IdentityKit

/// The issuers that a client accepts: a list, or every issuer that a closure accepts.
///
/// An array literal creates a list, for example `configuration.acceptedIssuers = ["https://id.example"]`.
public struct IssuerPolicy: Sendable {
    private let accepts: @Sendable (String) -> Bool
    /// The issuers that count as one issuer; empty if each accepted issuer counts separately.
    var equivalents: [String] = []
    /// The accepted issuers, for an error message.
    public let summary: String

    /// Accepts exactly these issuers, compared byte for byte.
    ///
    /// All these issuers count as one issuer: the same `sub` names the same buyer at each of them. An example is a provider with an old and
    /// a new issuer. For issuers that are separate tenants, use ``init(summary:accepts:)``.
    public static func exactly(_ issuers: [String]) -> IssuerPolicy {
        var policy = IssuerPolicy(summary: issuers.joined(separator: " or ")) { issuer in
            issuers.contains { $0.isIdentical(to: issuer) }
        }
        policy.equivalents = issuers
        return policy
    }

    /// Accepts the issuers for which `accepts` returns true; the same `sub` at two of these issuers names two buyers.
    ///
    /// In errors, `summary` names the accepted issuers.
    public init(summary: String, accepts: @escaping @Sendable (String) -> Bool) {
        self.summary = summary
        self.accepts = accepts
    }

    /// Whether an issuer is accepted.
    public func isAccepted(_ issuer: String) -> Bool {
        accepts(issuer)
    }

    /// Whether two issuers name the same provider: they are identical, or both are among ``equivalents``.
    func isSame(_ issuer: String, as other: String) -> Bool {
        if issuer.isIdentical(to: other) { return true }
        return [issuer, other].allSatisfy { name in equivalents.contains { $0.isIdentical(to: name) } }
    }
}

extension IssuerPolicy: ExpressibleByArrayLiteral {
    /// Accepts exactly these issuers, compared byte for byte.
    public init(arrayLiteral issuers: String...) {
        self = .exactly(issuers)
    }
}
