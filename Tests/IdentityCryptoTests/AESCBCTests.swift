import IdentityCrypto
import TestMemory
import Testing

@Suite("AES-128-CBC")
struct AESCBCTests {
    private static let key = SecretBytes(hex("2b7e151628aed2a6abf7158809cf4f3c"))
    private static let vector = hex("000102030405060708090a0b0c0d0e0f")
    private static let plaintext = hex(
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
            + "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
    )
    /// NIST SP 800-38A F.2.1, and the block of padding from `openssl enc -aes-128-cbc`.
    private static let ciphertext = hex(
        "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
            + "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7" + "8cb82807230e1321d3fae00d18cc2012"
    )

    private func code(_ body: () throws -> [UInt8]) -> CryptoError.Code? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? CryptoError)?.code
        }
    }

    @Test("encryption and decryption match the test vector of NIST SP 800-38A, with padding")
    func knownAnswer() throws {
        let encrypted = try AESCBC.encrypt(Self.plaintext, key: Self.key, initializationVector: Self.vector)
        #expect(encrypted == Self.ciphertext)
        let decrypted = try AESCBC.decrypt(Self.ciphertext, key: Self.key, initializationVector: Self.vector)
        #expect(decrypted == Self.plaintext)
    }

    @Test(
        "whole and partial blocks are decrypted unchanged, and the ciphertext is at most one block longer",
        arguments: [0, 1, 15, 16, 17, 31, 32, 1000]
    )
    func lengths(count: Int) throws {
        let bytes = [UInt8](repeating: 7, count: count)
        let encrypted = try AESCBC.encrypt(bytes, key: Self.key, initializationVector: Self.vector)
        #expect(encrypted.count == (count / 16 + 1) * 16)
        #expect(try AESCBC.decrypt(encrypted, key: Self.key, initializationVector: Self.vector) == bytes)
    }

    @Test("keys, vectors and ciphertexts of a wrong length, and a wrong padding, are refused")
    func refusals() {
        for count in [0, 15, 17, 32] {
            let bytes = [UInt8](repeating: 1, count: count)
            let short = SecretBytes(bytes)
            #expect(code { try AESCBC.encrypt([1], key: short, initializationVector: Self.vector) } == .invalidKey)
            #expect(code { try AESCBC.encrypt([1], key: Self.key, initializationVector: bytes) } == .invalidLength)
            #expect(code { try AESCBC.decrypt([1], key: short, initializationVector: Self.vector) } == .invalidKey)
        }
        for count in [0, 1, 15, 17, 64] {
            let part = Array(Self.ciphertext.prefix(count))
            let refusal = code { try AESCBC.decrypt(part, key: Self.key, initializationVector: Self.vector) }
            #expect(refusal == .authenticationFailed, "\(count) bytes")
        }
    }

    /// The error of a decryption without the last bytes; nil if it succeeds.
    private static func refusal(dropping count: Int = 0) -> CryptoError.Code? {
        do {
            _ = try AESCBC.decrypt(Array(ciphertext.dropLast(count)), key: key, initializationVector: vector)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("exhausted memory is not reported as a wrong padding")
    func outOfMemory() async {
        // The test needs a separate process in which it controls OpenSSL's memory.
        await #expect(processExitsWith: .success) {
            #expect(OpenSSLMemory.takeOver())
            #expect(AESCBCTests.refusal() == nil)
            var allocations = 0
            while allocations < 100 {
                let (code, hasRunOut) = await OpenSSLMemory.running(outAfter: allocations) { AESCBCTests.refusal() }
                guard hasRunOut else { break }
                #expect(code == .operationFailed, "after \(allocations) allocations")
                allocations += 1
            }
            #expect((1..<100).contains(allocations))
            #expect(AESCBCTests.refusal(dropping: 1) == .authenticationFailed)
        }
    }
}
