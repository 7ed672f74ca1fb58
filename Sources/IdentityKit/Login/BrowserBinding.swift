internal import IdentityCrypto

/// What ties a trip to the provider to one browser: a random cookie there, its hash in the store.
struct BrowserBinding: Sendable {
    let cookie: Secret
    let hash: [UInt8]

    init(random: any RandomSource) throws {
        let bytes = try random.bytes(32)
        cookie = Secret(Base64URL.encode(bytes))
        hash = try Digest.sha256(bytes)
    }

    /// Whether a cookie is the one that a hash was made of.
    static func isMet(_ hash: [UInt8], by cookie: Secret?) -> Bool {
        guard let given = cookie.flatMap({ Base64URL.decode($0.reveal()) }),
            let actual = try? Digest.sha256(given)
        else { return false }
        return constantTimeEqual(actual, hash)
    }
}
