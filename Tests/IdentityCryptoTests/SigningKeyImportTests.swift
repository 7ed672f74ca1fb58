import IdentityCrypto
import Testing

@Suite("Imported private keys")
struct SigningKeyImportTests {
    private static let message = Array("header.payload".utf8)

    private static func key(_ pem: String) throws -> SigningKey {
        try .pkcs8(try #require(PEM.decode(Array(pem.utf8), label: "PRIVATE KEY")))
    }

    private static func isGood(_ key: SigningKey, _ algorithm: SignatureAlgorithm) throws -> Bool {
        let signature = try key.sign(message, algorithm: algorithm)
        return try key.verificationKey().verify(signature, of: message, algorithm: algorithm)
    }

    @Test("an imported PKCS#8 key signs with the algorithms of its kind only, and its public half verifies")
    func kinds() throws {
        let kinds: [(String, Set<SignatureAlgorithm>)] = [
            (PrivateKeys.rsa, [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]), (PrivateKeys.p256, [.es256]),
            (PrivateKeys.p384, [.es384]), (PrivateKeys.p521, [.es512]), (PrivateKeys.ed25519, [.edDSA]),
        ]
        for (pem, algorithms) in kinds {
            let key = try Self.key(pem)
            #expect(Set(SignatureAlgorithm.allCases.filter(key.supports)) == algorithms)
            for algorithm in algorithms { #expect(try Self.isGood(key, algorithm)) }
        }
    }

    @Test("a private key that is too small, of another kind, truncated or followed by other bytes is refused")
    func refusals() throws {
        for pem in [PrivateKeys.rsa1024, PrivateKeys.secp256k1, PrivateKeys.x25519] {
            #expect(throws: CryptoError.self) { try Self.key(pem) }
        }
        let good = try #require(PEM.decode(Array(PrivateKeys.p256.utf8), label: "PRIVATE KEY"))
        for bad in [[], [0x30], Array(good.dropLast()), good + [0]] {
            #expect(throws: CryptoError.self) { try SigningKey.pkcs8(bad) }
        }
    }

    @Test("PEM is accepted only as one block with the right label, with nothing but white space around it")
    func pem() {
        func decoded(_ text: String) -> [UInt8]? { PEM.decode(Array(text.utf8), label: "PRIVATE KEY") }
        let good = decoded(PrivateKeys.p256)
        #expect(good?.count == 138)
        let oneLine = PrivateKeys.p256.split(separator: "\n").joined(separator: " ")
        #expect(decoded(" \(oneLine)\r\n") == good)
        let refused = [
            "", PrivateKeys.encrypted, PrivateKeys.sec1, PrivateKeys.p256 + "\n" + PrivateKeys.p256,
            "x" + PrivateKeys.p256,
            PrivateKeys.p256 + "x", "-----BEGIN PRIVATE KEY-----",
            "-----BEGIN PRIVATE KEY-----\nMIG*\n-----END PRIVATE KEY-----",
        ]
        for text in refused { #expect(decoded(text) == nil) }
    }

    @Test("a private and a public half of different keys are refused, and a key can be rebuilt from its numbers")
    func halves() throws {
        let (one, two) = (try SigningKey.generateEllipticCurve(.p256), try SigningKey.generateEllipticCurve(.p256))
        let (first, second) = (try #require(one.privateNumber()), try #require(two.privateNumber()))
        guard case .ellipticCurve(let curve, let x, let y) = one.publicNumbers else { return }
        #expect(try Self.isGood(try .ellipticCurve(curve, x: x, y: y, privateNumber: first), .es256))
        for number in [second, [], [0] + first, Array(first.dropLast()), [UInt8](repeating: 0, count: 32)] {
            #expect(throws: CryptoError.self) {
                try SigningKey.ellipticCurve(curve, x: x, y: y, privateNumber: number)
            }
        }
        #expect(throws: CryptoError.self) {
            try SigningKey.ellipticCurve(.p384, x: x, y: y, privateNumber: first)
        }
        let seed = [UInt8](repeating: 7, count: 32)
        guard case .ed25519(let other) = try SigningKey.generateEd25519().publicNumbers else { return }
        #expect(throws: CryptoError.self) { try SigningKey.ed25519(x: other, privateNumber: seed) }
        for (x, d) in [(other.dropLast(), seed[...]), (other[...], seed + [7])] {
            let error = #expect(throws: CryptoError.self) {
                try SigningKey.ed25519(x: Array(x), privateNumber: Array(d))
            }
            #expect(error?.message == "x and d of an Ed25519 key must have 32 bytes each")
        }
        #expect(try SigningKey.generateRSA(bits: 1024).privateNumber() == nil)
    }
}
