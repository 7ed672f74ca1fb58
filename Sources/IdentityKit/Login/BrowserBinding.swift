internal import IdentityCrypto

/// Ties a login or logout to one browser: the browser gets a random cookie, and the store keeps the hash of this cookie.
///
/// The callback link of an attacker's login fails in a victim's browser, which does not have the cookie (RFC 9700 section 4.7).
struct BrowserBinding: Sendable {
    let cookie: Secret
    let hash: [UInt8]

    init(random: any RandomSource) throws {
        let bytes = try random.exactly(32)
        cookie = Secret(Base64URL.encode(bytes))
        hash = try Digest.sha256(bytes)
    }

    static func matches(_ hash: [UInt8], cookie: Secret?) -> Bool {
        guard let given = cookie.flatMap({ Base64URL.decode($0.reveal()) }),
            let actual = try? Digest.sha256(given)
        else { return false }
        return constantTimeEqual(actual, hash)
    }
}
