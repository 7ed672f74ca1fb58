import IdentityCrypto
import IdentityKit
import Testing

/// Wycheproof vectors for the encryption of records and the derivation of keys.
@Suite(
    "Wycheproof: encryption, message authentication codes and derived keys",
    .enabled(
        if: VectorFolder.wycheproof != nil,
        "run them with Tests/Fixtures/public-vectors"
    )
)
struct WycheproofSymmetricTests {
    @Test("AES-256-GCM encrypts and decrypts as in the vectors; other key and nonce lengths are refused")
    func aesGCM() throws {
        let vectors = try Wycheproof("aes_gcm").vectors
        #expect(vectors.count == 316)
        var opened = 0
        for vector in vectors {
            let (key, nonce) = (SecretBytes(try vector.bytes("key")), try vector.bytes("iv"))
            let (plaintext, associatedData) = (try vector.bytes("msg"), try vector.bytes("aad"))
            let sealed = try vector.bytes("ct") + vector.bytes("tag")
            let isOurs = key.count == AESGCM.keyCount && nonce.count == AESGCM.nonceCount
            let result = try? AESGCM.open(sealed[...], key: key, nonce: nonce, associatedData: associatedData)
            let made = try? AESGCM.seal(plaintext, key: key, nonce: nonce, associatedData: associatedData)
            #expect(result == (vector.isValid && isOurs ? plaintext : nil), "\(vector.label)")
            // The invalid vectors of the supported lengths have a wrong tag.
            #expect((made == sealed) == (vector.isValid && isOurs), "\(vector.label)")
            opened += result == nil ? 0 : 1
        }
        #expect(opened == 39)
    }

    @Test(
        "HMAC-SHA-256 gives the whole or truncated codes of the valid vectors, and not those of the invalid ones"
    )
    func hmac() throws {
        let vectors = try Wycheproof("hmac_sha256").vectors
        #expect(vectors.count == 174)
        for vector in vectors {
            let tag = try vector.bytes("tag")
            let code = try HMACSHA256.authenticationCode(
                for: try vector.bytes("msg"),
                key: SecretBytes(try vector.bytes("key"))
            )
            #expect((Array(code.prefix(tag.count)) == tag) == vector.isValid, "\(vector.label)")
        }
    }

    @Test("HKDF-SHA-256 derives the first 32 bytes of the keys of the valid vectors")
    func hkdf() throws {
        let vectors = try Wycheproof("hkdf_sha256").vectors
        #expect(vectors.count == 86)
        // The invalid vectors ask for more bytes than HKDF can derive.
        for vector in vectors where vector.isValid {
            let secret = SecretBytes(try vector.bytes("ikm"))
            let key = try HKDFSHA256.PseudorandomKey(from: secret, salt: try vector.bytes("salt"))
            let derived = try key.deriveKey(info: try vector.bytes("info")).copyBytes()
            let wanted = try vector.bytes("okm").prefix(derived.count)
            #expect(derived.starts(with: wanted), "\(vector.label)")
        }
    }
}
