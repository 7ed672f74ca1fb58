internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit

/// Reads Multipass tokens: checks signature, e-mail address and `created_at`, but not `remote_ip`.
enum MultipassReader {
    /// How long after `created_at` a token is accepted.
    private static let lifetime: Double = 15 * 60

    /// Returns the e-mail address in a Multipass token, or throws if the token is invalid.
    static func email(in token: String, secret: String, at now: Date) throws(UserError) -> String {
        guard let json = try? content(of: token, secret: secret), let email = json["email"]?.string,
            email.contains("@"), let created = json["created_at"]?.string,
            let moment = try? Date(created, strategy: .iso8601),
            (-60...lifetime).contains(now.timeIntervalSince(moment))
        else { throw UserError("INVALID_MULTIPASS_REQUEST", at: []) }
        return email
    }

    private static func content(of token: String, secret: String) throws -> JSONValue? {
        let text = token.utf8.last == UInt8(ascii: "=") ? token.replacing("=", with: "") : token
        guard let bytes = Base64URL.decode(text), bytes.count >= 64 else { return nil }
        let keys = try Digest.sha256(Array(secret.utf8))
        let (sealed, code) = (Array(bytes.dropLast(32)), Array(bytes.suffix(32)))
        guard
            try HMACSHA256.authenticationCode(for: sealed, key: SecretBytes(Array(keys.suffix(16)))) == code
        else { return nil }
        let plaintext = try AESCBC.decrypt(
            Array(sealed.dropFirst(16)),
            key: SecretBytes(Array(keys.prefix(16))),
            initializationVector: Array(sealed.prefix(16))
        )
        return try JSONValue(parsing: plaintext)
    }
}
