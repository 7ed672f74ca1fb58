import IdentityCrypto
import Testing

@Suite("Secrets")
struct SecretsTests {
    private static let canary = "canary-4fb1c6"

    private struct Holder {
        let secret: SecretBytes
        let nested: [String: SecretBytes?]
    }

    @Test("a secret shows nothing, however it is printed")
    func redaction() {
        let secret = SecretBytes(Array(Self.canary.utf8))
        let holder = Holder(secret: secret, nested: ["key": secret])
        var output = "\(secret) \(holder)" + String(reflecting: secret) + String(reflecting: holder)
        dump(secret, to: &output)
        dump(holder, to: &output)
        #expect(!output.contains(Self.canary))
        // As numbers, in decimal and hexadecimal: the first bytes of the canary.
        #expect(!output.contains("99, 97") && !output.contains("6361"))
        #expect(Mirror(reflecting: secret).children.isEmpty)
        #expect(secret.description == "SecretBytes(redacted)")
    }

    @Test("an error about a key does not contain it")
    func errors() {
        let key = SecretBytes(Array(Self.canary.utf8))
        do {
            _ = try AESGCM.seal([], key: key, nonce: [], associatedData: [])
            Issue.record("A key of a wrong length was accepted.")
        } catch {
            #expect(!"\(error)".contains(Self.canary))
        }
    }

    @Test("a secret returns its bytes unchanged, from an array and from a buffer, even if it is empty")
    func bytes() {
        for bytes: [UInt8] in [[], [0], Array(0...255)] {
            #expect(SecretBytes(bytes).copyBytes() == bytes)
            #expect(SecretBytes(bytes).count == bytes.count)
            #expect(unsafe bytes.withUnsafeBytes { unsafe SecretBytes(copying: $0) }.copyBytes() == bytes)
            #expect(unsafe SecretBytes(bytes).withUnsafeBytes { unsafe Array($0) } == bytes)
        }
    }

    @Test("secrets are equal only with the same bytes and length")
    func equality() {
        let bytes = Array("0123456789abcdef".utf8)
        #expect(constantTimeEqual(bytes, bytes))
        #expect(constantTimeEqual([], []))
        #expect(!constantTimeEqual(bytes, Array(bytes.dropLast())))
        #expect(!constantTimeEqual(Array(bytes.dropLast()), bytes))
        #expect(!constantTimeEqual([], bytes))
        #expect(SecretBytes(bytes).isEqual(to: SecretBytes(bytes)))
        #expect(SecretBytes([]).isEqual(to: SecretBytes([])))
        #expect(!SecretBytes(bytes).isEqual(to: SecretBytes(bytes + [0])))
        for index in bytes.indices {
            var other = bytes
            other[index] ^= 0x80
            #expect(!constantTimeEqual(bytes, other))
            #expect(!SecretBytes(bytes).isEqual(to: SecretBytes(other)))
        }
    }

    @Test("random bytes have the requested length and differ; an impossible length is an error, not a crash")
    func random() throws {
        #expect(try SecureRandom.bytes(0).isEmpty)
        let samples = try (0..<100).map { _ in try SecureRandom.bytes(32) }
        #expect(samples.allSatisfy { $0.count == 32 })
        #expect(Set(samples).count == samples.count)
        #expect(throws: CryptoError.self) { try SecureRandom.bytes(-1) }
        #expect(throws: CryptoError.self) { try SecureRandom.bytes(.max) }
    }
}
