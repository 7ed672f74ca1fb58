internal import IdentityCrypto
internal import IdentityHTTP
package import IdentityKit

/// The key of a cached response.
///
/// The key is a SHA-256 digest, so it does not reveal its parts: endpoint, API version, app token, session, document and all variables.
public struct ResponseCacheKey: Sendable, Hashable {
    /// The digest, 64 lower-case hexadecimal digits.
    public let rawValue: String

    package init(digest: String) { rawValue = digest }

    init?(
        endpoint: GraphQLEndpoint,
        identity: String,
        session: SessionID?,
        document: GraphQLDocument,
        variables: JSONObject
    ) {
        let parts: [[UInt8]] = [
            Array(endpoint.url.text.utf8), Array(endpoint.version.rawValue.utf8), Array(identity.utf8),
            Array((session?.rawValue ?? "").utf8), Array(document.identifier.utf8),
            Self.canonical(.object(variables)).serialized,
        ]
        // Each part begins with its length. Otherwise different parts could give the same bytes.
        let message = parts.flatMap { Array("\($0.count):".utf8) + $0 }
        guard let digest = try? Digest.sha256(message) else { return nil }
        rawValue = Hexadecimal.encode(digest)
    }

    /// A digest of the app's token, for a key: it does not reveal the token.
    package static func name(of token: Secret) -> String {
        (try? Digest.sha256(Array("cache identity:".utf8) + token.revealBytes())).map(Hexadecimal.encode) ?? ""
    }

    /// Orders the members of each object, so that equal variables in another order have the same key.
    private static func canonical(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements): return .array(elements.map(canonical))
        case .object(let object):
            var sorted = JSONObject()
            for member in object.members.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
                sorted[member.name] = canonical(member.value)
            }
            return .object(sorted)
        case .null, .bool, .number, .string: return value
        }
    }
}
