import Dispatch
import IdentityCrypto
import Synchronization
import Testing

@Suite("Signatures")
struct SignatureTests {
    @Test("the published examples are verified: RFC 7515 A.2 (RS256) and A.3 (ES256), RFC 8037 A.4 (Ed25519)")
    func publishedExamples() throws {
        typealias Vectors = JOSEVectors
        #expect(
            try Vectors.RS256.key().verify(
                Vectors.RS256.signature,
                of: Vectors.RS256.message,
                algorithm: .rs256
            )
        )
        #expect(
            try Vectors.ES256.key().verify(
                Vectors.ES256.signature,
                of: Vectors.ES256.message,
                algorithm: .es256
            )
        )
        #expect(
            try Vectors.Ed25519.key().verify(
                Vectors.Ed25519.signature,
                of: Vectors.Ed25519.message,
                algorithm: .edDSA
            )
        )
    }

    @Test("a public key verifies the signatures of its private half, and no other messages, lengths or algorithms")
    func roundTrips() throws {
        let keys: [SigningKey] = [
            try .generateRSA(), try .generateEllipticCurve(.p256), try .generateEllipticCurve(.p384),
            try .generateEllipticCurve(.p521), try .generateEd25519(),
        ]
        let message = Array("header.payload".utf8)
        var verified: Set<SignatureAlgorithm> = []
        for key in keys {
            let verification = try key.verificationKey()
            for algorithm in SignatureAlgorithm.allCases {
                guard verification.supports(algorithm) else {
                    #expect(throws: CryptoError.self) { try key.sign(message, algorithm: algorithm) }
                    continue
                }
                let signature = try key.sign(message, algorithm: algorithm)
                #expect(verification.verify(signature, of: message, algorithm: algorithm))
                // The second verification uses the pooled context.
                #expect(verification.verify(signature, of: message, algorithm: algorithm))
                #expect(!verification.verify(signature, of: message + [0], algorithm: algorithm))
                #expect(!verification.verify(signature, of: [], algorithm: algorithm))
                #expect(!verification.verify(signature + [0], of: message, algorithm: algorithm))
                #expect(!verification.verify([0] + signature, of: message, algorithm: algorithm))
                #expect(!verification.verify(signature.dropLast(), of: message, algorithm: algorithm))
                #expect(!verification.verify([], of: message, algorithm: algorithm))
                for other in SignatureAlgorithm.allCases where other != algorithm {
                    #expect(!verification.verify(signature, of: message, algorithm: other))
                }
                for other in keys where other !== key {
                    #expect(!(try other.verificationKey().verify(signature, of: message, algorithm: algorithm)))
                }
                verified.insert(algorithm)
            }
        }
        #expect(verified == SignatureAlgorithm.allCases.set)
    }

    @Test("an elliptic-curve key supports one algorithm, an RSA key six, an Ed25519 key one")
    func algorithms() throws {
        func algorithms(of key: VerificationKey) -> [SignatureAlgorithm] {
            SignatureAlgorithm.allCases.filter(key.supports)
        }
        #expect(algorithms(of: try JOSEVectors.RS256.key()) == [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512])
        #expect(algorithms(of: try JOSEVectors.ES256.key()) == [.es256])
        #expect(algorithms(of: try JOSEVectors.Ed25519.key()) == [.edDSA])
        #expect(SignatureAlgorithm(rawValue: "none") == nil)
        #expect(SignatureAlgorithm(rawValue: "HS256") == nil)
        #expect(SignatureAlgorithm(rawValue: "rs256") == nil)
    }

    @Test("a signature with any changed byte is refused, and afterwards the right signature is still accepted")
    func flippedBytes() throws {
        let cases: [(VerificationKey, [UInt8], [UInt8], SignatureAlgorithm)] = [
            (try JOSEVectors.RS256.key(), JOSEVectors.RS256.signature, JOSEVectors.RS256.message, .rs256),
            (try JOSEVectors.ES256.key(), JOSEVectors.ES256.signature, JOSEVectors.ES256.message, .es256),
            (try JOSEVectors.Ed25519.key(), JOSEVectors.Ed25519.signature, JOSEVectors.Ed25519.message, .edDSA),
        ]
        for (key, signature, message, algorithm) in cases {
            for index in signature.indices {
                var damaged = signature
                damaged[index] ^= 0x01
                #expect(!key.verify(damaged, of: message, algorithm: algorithm), "\(algorithm) byte \(index)")
            }
            #expect(key.verify(signature, of: message, algorithm: algorithm))
        }
    }

    @Test("ES256: r or s zero, at or over the order, DER and wrong lengths are refused")
    func ecdsaForms() throws {
        let key = try JOSEVectors.ES256.key()
        let message = JOSEVectors.ES256.message
        let r = Array(JOSEVectors.ES256.signature.prefix(32))
        let s = Array(JOSEVectors.ES256.signature.suffix(32))
        let zero = [UInt8](repeating: 0, count: 32)
        let order = hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
        let largest = [UInt8](repeating: 0xff, count: 32)
        let der: [UInt8] = [0x30, 0x45, 0x02, 0x20] + r + [0x02, 0x21, 0x00] + s
        let refused: [[UInt8]] = [
            zero + zero, r + zero, zero + s, order + s, r + order, largest + largest, order + order, s + r,
            der, Array(der.prefix(64)), [0] + r + [0] + s, r + s + [0], r + s + largest,
            [UInt8](repeating: 1, count: 10_000), r, r + s.dropLast(),
        ]
        for signature in refused {
            #expect(!key.verify(signature, of: message, algorithm: .es256))
        }
        #expect(key.verify(r + s, of: message, algorithm: .es256))
    }

    @Test("many threads can verify right and wrong signatures with one key at the same time")
    func concurrency() throws {
        let signers: [(key: SigningKey, algorithm: SignatureAlgorithm)] = [
            (try .generateRSA(), .rs256), (try .generateEllipticCurve(.p256), .es256),
        ]
        // Each thread verifies a different message, so that a context that is shared by mistake causes an error.
        let messages = (1...8).map { [UInt8](repeating: UInt8($0), count: 4096 * $0) }
        for (key, algorithm) in signers {
            let verification = try key.verificationKey()
            let signatures = try messages.map { try key.sign($0, algorithm: algorithm) }
            let wrong = Mutex(0)
            // Threads instead of tasks, because other tests may occupy the pool of tasks, and then no calls would overlap.
            DispatchQueue.concurrentPerform(iterations: messages.count) { thread in
                for round in 0..<200 {
                    let expected = (thread + round) % 8 != 0
                    var signature = signatures[thread]
                    if !expected { signature[round % signature.count] ^= 1 }
                    let verified = verification.verify(signature, of: messages[thread], algorithm: algorithm)
                    if verified != expected { wrong.withLock { $0 += 1 } }
                }
            }
            #expect(wrong.withLock { $0 } == 0)
        }
    }
}

extension Array where Element: Hashable {
    fileprivate var set: Set<Element> { Set(self) }
}
