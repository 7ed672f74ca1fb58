import Foundation
import IdentityCrypto
import TestMemory
import Testing

@Suite("Hashing")
struct HashingTests {
    @Test("the SHA-2 digests of \"abc\" (FIPS 180-4) and of empty input have their published values")
    func digests() throws {
        let abc = Array("abc".utf8)
        #expect(
            try Digest.sha256(abc) == hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        )
        #expect(
            try Digest.sha384(abc)
                == hex(
                    "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
                        + "8086072ba1e7cc2358baeca134c825a7"
                )
        )
        #expect(
            try Digest.sha512(abc)
                == hex(
                    "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
                )
        )
        #expect(try Digest.sha256([]) == hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
    }

    @Test("if OpenSSL does not provide an algorithm, the error names the algorithm")
    func missingAlgorithm() async {
        // The test needs a separate process, because OpenSSL reads its configuration once.
        await #expect(processExitsWith: .success) {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("openssl-\(UUID().uuidString).cnf")
            defer { try? FileManager.default.removeItem(at: file) }
            // Only the provider "base" is active, which has no hash functions.
            let text = "openssl_conf = a\n[a]\nproviders = b\n[b]\nbase = c\n[c]\nactivate = 1\n"
            try Data(text.utf8).write(to: file)
            #expect(unsafe setenv("OPENSSL_CONF", file.path, 1) == 0)
            let error = #expect(throws: CryptoError.self) { try Digest.sha256([]) }
            #expect(error?.message.contains("could not provide SHA2-256;") == true, "\(error?.message ?? "")")
        }
    }

    @Test(
        "HMAC-SHA-256 matches the vectors of RFC 4231",
        arguments: [
            (
                [UInt8](repeating: 0x0b, count: 20), "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ]
    )
    func hmac(key: [UInt8], message: String, code: String) throws {
        #expect(
            try HMACSHA256.authenticationCode(for: Array(message.utf8), key: SecretBytes(key)) == hex(code)
        )
    }

    @Test(
        "HKDF-SHA-256 matches the first 32 bytes of the vectors of RFC 5869, with and without salt and info",
        arguments: [
            (
                "000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9",
                "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"
            ),
            ("", "", "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"),
        ]
    )
    func hkdf(salt: String, info: String, derived: String) throws {
        let secret = SecretBytes([UInt8](repeating: 0x0b, count: 22))
        let key = try HKDFSHA256.PseudorandomKey(from: secret, salt: hex(salt))
        // The second call uses OpenSSL's context of the first one.
        for _ in 0..<2 { #expect(try key.deriveKey(info: hex(info)).copyBytes() == hex(derived)) }
    }

    @Test("a reused HMAC key computes the same codes as a new one")
    func preparedKeys() throws {
        let secret = SecretBytes([UInt8](repeating: 0x0b, count: 22))
        let hmac = HMACSHA256(secret)
        for message in [[], [7], [UInt8](0...200), [7]] {
            let code = try HMACSHA256.authenticationCode(for: message, key: secret)
            #expect(try hmac.authenticationCode(for: message) == code)
        }
    }

    @Test("an empty key is refused")
    func bounds() throws {
        let empty = SecretBytes([])
        #expect(throws: CryptoError.self) { try HMACSHA256.authenticationCode(for: [], key: empty) }
        #expect(throws: CryptoError.self) { try HKDFSHA256.PseudorandomKey(from: empty, salt: [1]) }
    }

    @Test("an algorithm that could not be fetched for lack of memory is fetched by the next use")
    func fetchedAgain() async {
        // The test needs a separate process, whose OpenSSL gets its memory from the test.
        await #expect(processExitsWith: .success) {
            #expect(OpenSSLMemory.takeOver())
            // This loads OpenSSL, but does not fetch the algorithms that are used next.
            _ = try Digest.sha256([])
            let (digest, hasRunOut) = await OpenSSLMemory.running(outAfter: 0) { try? Digest.sha384([]) }
            #expect(digest == nil && hasRunOut)
            #expect(try Digest.sha384([]).count == 48)
            let key = SecretBytes([1])
            let (code, _) = await OpenSSLMemory.running(outAfter: 0) {
                try? HMACSHA256.authenticationCode(for: [], key: key)
            }
            #expect(code == nil)
            #expect(try HMACSHA256.authenticationCode(for: [], key: key).count == 32)
        }
    }
}
