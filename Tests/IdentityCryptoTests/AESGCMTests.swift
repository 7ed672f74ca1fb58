import IdentityCrypto
import TestMemory
import Testing

@Suite("AES-256-GCM")
struct AESGCMTests {
    private static let key = SecretBytes(hex(String(repeating: "feffe9928665731c6d6a8f9467308308", count: 2)))
    private static let nonce = hex("cafebabefacedbaddecaf888")
    private static let associatedData = hex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
    private static let plaintext = hex(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
            + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
    )
    private static let sealed = hex(
        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
            + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662" + "76fc6ece0f4e1768cddf8853bb2d551b"
    )

    /// The error code of the decryption; nil if it succeeds.
    private static func refusal(
        _ sealed: [UInt8] = sealed,
        key: SecretBytes = key,
        nonce: [UInt8] = nonce,
        associatedData: [UInt8] = associatedData
    ) -> CryptoError.Code? {
        do {
            _ = try AESGCM.open(sealed[...], key: key, nonce: nonce, associatedData: associatedData)
            return nil
        } catch {
            return error.code
        }
    }

    private static func sealingRefusal(key: SecretBytes = key, nonce: [UInt8] = nonce) -> CryptoError.Code? {
        do {
            _ = try AESGCM.seal(plaintext, key: key, nonce: nonce, associatedData: associatedData)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("the results match test cases 13, 14 and 16 of the GCM specification")
    func knownAnswers() throws {
        let zeroKey = SecretBytes([UInt8](repeating: 0, count: 32))
        let zeroNonce = [UInt8](repeating: 0, count: 12)
        #expect(
            try AESGCM.seal([], key: zeroKey, nonce: zeroNonce, associatedData: [])
                == hex("530f8afbc74536b9a963b4f1c4cb738b")
        )
        #expect(
            try AESGCM.seal([UInt8](repeating: 0, count: 16), key: zeroKey, nonce: zeroNonce, associatedData: [])
                == hex("cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919")
        )
        #expect(
            try AESGCM.seal(
                Self.plaintext,
                key: Self.key,
                nonce: Self.nonce,
                associatedData: Self.associatedData
            ) == Self.sealed
        )
        #expect(
            try AESGCM.open(
                Self.sealed[...],
                key: Self.key,
                nonce: Self.nonce,
                associatedData: Self.associatedData
            ) == Self.plaintext
        )
    }

    @Test("an empty plaintext can be sealed and opened")
    func empty() throws {
        let sealed = try AESGCM.seal([], key: Self.key, nonce: Self.nonce, associatedData: [])
        #expect(sealed.count == AESGCM.tagCount)
        #expect(try AESGCM.open(sealed[...], key: Self.key, nonce: Self.nonce, associatedData: []) == [])
        #expect(Self.refusal(sealed) == .authenticationFailed)
    }

    @Test("a ciphertext with any one flipped bit is refused")
    func bitFlips() {
        for bit in 0..<(Self.sealed.count * 8) {
            var damaged = Self.sealed
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            let refusal = Self.refusal(damaged)
            #expect(refusal == .authenticationFailed, "bit \(bit)")
        }
    }

    @Test("a ciphertext that is truncated at either end, or has an additional byte, is refused")
    func truncations() {
        for count in 0..<Self.sealed.count {
            #expect(Self.refusal(Array(Self.sealed.prefix(count))) == .authenticationFailed, "the first \(count) bytes")
            #expect(Self.refusal(Array(Self.sealed.suffix(count))) == .authenticationFailed, "the last \(count) bytes")
        }
        #expect(Self.refusal(Self.sealed + [0]) == .authenticationFailed)
        #expect(Self.refusal([0] + Self.sealed) == .authenticationFailed)
    }

    @Test("a ciphertext is refused with other associated data, another key or another nonce")
    func foreignContext() {
        #expect(Self.refusal() == nil)
        #expect(Self.refusal(associatedData: []) == .authenticationFailed)
        #expect(Self.refusal(associatedData: Self.associatedData + [0]) == .authenticationFailed)
        #expect(Self.refusal(key: SecretBytes([UInt8](repeating: 7, count: 32))) == .authenticationFailed)
        #expect(Self.refusal(nonce: [UInt8](repeating: 1, count: 12)) == .authenticationFailed)
    }

    @Test("exhausted memory is not reported as failed authentication")
    func outOfMemory() async {
        // The test needs a separate process in which it controls OpenSSL's memory.
        await #expect(processExitsWith: .success) {
            #expect(OpenSSLMemory.takeOver())
            #expect(AESGCMTests.refusal() == nil)
            var allocations = 0
            while allocations < 100 {
                let (code, hasRunOut) = await OpenSSLMemory.running(outAfter: allocations) { AESGCMTests.refusal() }
                guard hasRunOut else { break }
                #expect(code == .operationFailed, "after \(allocations) allocations")
                allocations += 1
            }
            #expect((1..<100).contains(allocations))
            #expect(AESGCMTests.refusal() == nil)
            #expect(AESGCMTests.refusal(associatedData: []) == .authenticationFailed)
        }
    }

    @Test("keys and nonces of a wrong length are refused", arguments: [0, 11, 13, 16, 31, 33])
    func wrongLengths(count: Int) {
        let bytes = [UInt8](repeating: 1, count: count)
        #expect(Self.refusal(key: SecretBytes(bytes)) == .invalidKey)
        #expect(Self.refusal(nonce: bytes) == .invalidLength)
        #expect(Self.sealingRefusal(key: SecretBytes(bytes)) == .invalidKey)
        #expect(Self.sealingRefusal(nonce: bytes) == .invalidLength)
    }
}
