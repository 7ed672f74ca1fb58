import Foundation
import IdentityCrypto
import IdentityKit
import IdentityOIDC

/// Bytes as claims behind a good signature, so that the checks behind it are reached; what is accepted is judged again by
/// what Foundation reads in the same bytes.
enum IDTokenFuzz {
    static func check(_ input: [UInt8]) throws {
        guard input.count <= 20_000 else { return }
        var expected = Forge.expectations()
        // The first byte chooses what is asked for beside the usual.
        let wishes = input.first ?? 0
        if wishes & 1 != 0 { expected.maximumAgeSeconds = 3600 }
        if wishes & 2 != 0 { expected.authenticationContexts = ["phr"] }
        if wishes & 4 != 0 { expected.acceptsNumericSubject = true }
        let payload = Array(input.dropFirst())
        let claims: IDTokenClaims
        do {
            claims = try IDTokenValidator.validate(
                try Forge.token(payload),
                keys: Forge.keys.get(),
                expecting: expected
            )
        } catch let error as IdentityError {
            return try require(error.kind == .rejected && error.reference != nil, "a refusal of another kind")
        }
        // It refuses numbers that do not fit a double, which may stand in a claim that nobody reads.
        guard let read = (try? JSONSerialization.jsonObject(with: Data(payload))) as? [String: Any] else { return }
        try require(same(read["iss"], "https://id.example") && same(read["iss"], claims.issuer), "another issuer")
        let audience = (read["aud"] as? [Any]) ?? [read["aud"] as Any]
        try require(!audience.isEmpty && audience.allSatisfy { same($0, "client-1") }, "another audience")
        try require(read["azp"].map { same($0, "client-1") } ?? true, "another party")
        try require(same(read["nonce"], "nonce-1"), "another nonce")
        try require((1...255).contains(claims.subject.utf8.count), "a subject without bounds")
        try require(same(read["sub"], claims.subject) || wishes & 4 != 0, "another subject")
        let now = Forge.now.timeIntervalSince1970
        let (expiry, issued) = (try time(read, "exp"), try time(read, "iat"))
        try require(try require(expiry, "no expiry") > now - 60, "expired")
        try require(try require(issued, "no time of issue") <= now + 60, "of the future")
        try require(try time(read, "nbf") ?? 0 <= now + 60, "not valid yet")
        if wishes & 1 != 0 { try require(try time(read, "auth_time") ?? 0 >= now - 3660, "an old login") }
        if wishes & 2 != 0 { try require(same(read["acr"], "phr"), "another context") }
        if let hash = read["at_hash"] {
            let digest = try Digest.sha256(Array("access-1".utf8))
            try require(same(hash, Base64URL.encode(Array(digest.prefix(16)))), "another access token")
        }
    }

    private static func same(_ value: Any?, _ text: String) -> Bool {
        (value as? String)?.isIdentical(to: text) ?? false
    }

    private static func time(_ claims: [String: Any], _ name: String) throws -> Double? {
        guard let value = claims[name] else { return nil }
        return try require((value as? NSNumber)?.doubleValue, "\(name) is no number")
    }
}
