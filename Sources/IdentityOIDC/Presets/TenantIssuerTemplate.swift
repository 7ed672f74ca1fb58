internal import IdentityHTTP
internal import IdentityKit

/// The issuers of a provider that has one issuer for each tenant, as Microsoft's metadata for several tenants write them:
/// `https://login.microsoftonline.com/{tenantid}/v2.0`.
///
/// A token is accepted only if its issuer equals the template with the token's `tid` in the place of `{tenantid}`.
public struct TenantIssuerTemplate: Sendable {
    static let placeholder = "{tenantid}"

    /// The template, as the metadata write it.
    public let text: String
    /// The text before and after the placeholder.
    private let parts: [String]

    /// Creates a template from a text that contains `{tenantid}` exactly once; a template from any other text accepts no issuer.
    public init(_ text: String) {
        self.text = text
        parts = text.utf8.split(separator: Array(Self.placeholder.utf8), omittingEmptySubsequences: false)
            .map { String(decoding: Array($0), as: UTF8.self) }
    }

    /// Accepts the issuer of every tenant, and the template itself, which is the `issuer` in Microsoft's metadata for several tenants.
    public var policy: IssuerPolicy {
        IssuerPolicy(summary: text) { [self] issuer in
            isTenantIssuer(issuer) || parts.count == 2 && issuer.isIdentical(to: text)
        }
    }

    /// Whether an issuer equals the template with the tenant id of these claims (`tid`).
    func isIssuer(_ issuer: String, of claims: JSONObject) -> Bool {
        guard parts.count == 2, let tenant = claims["tid"]?.string, Self.isTenantID(tenant) else { return false }
        return issuer.isIdentical(to: parts.joined(separator: tenant))
    }

    /// Whether a key whose JWK names `keyIssuer` may sign the tokens of `issuer`.
    ///
    /// Microsoft's key set for several tenants also contains keys that may sign for one tenant only.
    func isIssuer(_ keyIssuer: String, ofKeyFor issuer: String) -> Bool {
        keyIssuer.isIdentical(to: issuer) || keyIssuer.isIdentical(to: text)
    }

    private func isTenantIssuer(_ issuer: String) -> Bool {
        guard parts.count == 2, issuer.utf8.count == parts[0].utf8.count + 36 + parts[1].utf8.count else {
            return false
        }
        let tenant = String(decoding: issuer.utf8.dropFirst(parts[0].utf8.count).prefix(36), as: UTF8.self)
        return Self.isTenantID(tenant) && issuer.isIdentical(to: parts.joined(separator: tenant))
    }

    /// Whether a text is a GUID: 32 hexadecimal digits in five groups.
    static func isTenantID(_ text: String) -> Bool {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return groups.map(\.count) == [8, 4, 4, 4, 12]
            && groups.joined().allSatisfy { ASCII.hexValue($0) != nil }
    }
}
