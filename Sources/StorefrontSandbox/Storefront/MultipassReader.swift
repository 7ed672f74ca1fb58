internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit

/// Reads Multipass tokens: checks signature, e-mail address and `created_at`, but not `remote_ip`.
enum MultipassReader {
    /// The time in seconds after `created_at` during which a token is accepted.
    private static let lifetime: Double = 15 * 60

    /// Returns the decoded bytes of a Multipass token and its e-mail address, or throws if the token is invalid.
    ///
    /// To detect a second use of a token, compare the bytes: two texts of the same token can differ in their padding (`=`).
    static func read(
        _ token: String,
        secret: String,
        at now: Date
    ) throws(UserError) -> (bytes: [UInt8], email: String) {
        var text = token[...]
        while text.last == "=" { text.removeLast() }
        guard let bytes = Base64URL.decode(text.utf8), let json = try? content(of: bytes, secret: secret),
            let email = json["email"]?.string, email.contains("@"), let created = json["created_at"]?.string,
            let moment = try? Date(created, strategy: .iso8601),
            (-60...lifetime).contains(now.timeIntervalSince(moment))
        else { throw UserError("INVALID_MULTIPASS_REQUEST", at: []) }
        return (bytes, email)
    }

    private static func content(of bytes: [UInt8], secret: String) throws -> JSONValue? {
        guard bytes.count >= 64 else { return nil }
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
