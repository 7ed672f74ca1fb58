import IdentityCrypto
import IdentityKit
import Testing

/// Wycheproof vectors for the verification of signatures, from the checkout at the path in `IDENTITYKIT_WYCHEPROOF`.
@Suite(
    "Wycheproof: signatures",
    .enabled(
        if: VectorFolder.wycheproof != nil,
        "run them with Tests/Fixtures/public-vectors"
    )
)
struct WycheproofSignatureTests {
    /// Checks that a valid vector is accepted with the algorithm of its group and with no other algorithm.
    ///
    /// An invalid vector may be a valid signature of another algorithm.
    private func check(
        _ file: String,
        count: Int,
        key: (Wycheproof.Vector) throws -> VerificationKey?,
        algorithm: (Wycheproof.Vector) -> SignatureAlgorithm?
    ) throws {
        let vectors = try Wycheproof(file).vectors
        #expect(vectors.count == count)
        for vector in vectors {
            let (message, signature) = (try vector.bytes("msg"), try vector.bytes("sig"))
            guard let key = try key(vector) else { continue }
            let own = algorithm(vector)
            let candidates = SignatureAlgorithm.allCases.filter(key.supports)
            for candidate in candidates where vector.isValid || candidate == own {
                let isAccepted = key.verify(signature, of: message, algorithm: candidate)
                let isWanted = vector.isValid && candidate == own
                #expect(isAccepted == isWanted, "\(vector.label) as \(candidate.rawValue)")
            }
        }
    }

    private func rsaKey(_ vector: Wycheproof.Vector, in member: String) throws -> VerificationKey? {
        let modulus = try vector.keyBytes("modulus", in: member)
        let key = try? VerificationKey.rsa(
            modulus: modulus,
            exponent: try vector.keyBytes("publicExponent", in: member)
        )
        // Keys of less than 2048 bits are refused.
        let isLargeEnough = (vector.group["keySize"]?.number?.integer ?? 0) >= 2048
        #expect((key != nil) == isLargeEnough, "\(vector.label)")
        return key
    }

    static let pkcs1: [(String, Int)] = [
        ("rsa_signature_2048_sha224", 258), ("rsa_signature_2048_sha256", 259), ("rsa_signature_2048_sha384", 258),
        ("rsa_signature_2048_sha3_224", 258), ("rsa_signature_2048_sha3_256", 257),
        ("rsa_signature_2048_sha3_384", 258), ("rsa_signature_2048_sha3_512", 258),
        ("rsa_signature_2048_sha512_224", 258), ("rsa_signature_2048_sha512_256", 257),
        ("rsa_signature_2048_sha512", 259), ("rsa_signature_3072_sha256", 259), ("rsa_signature_3072_sha384", 259),
        ("rsa_signature_3072_sha3_256", 258), ("rsa_signature_3072_sha3_384", 259),
        ("rsa_signature_3072_sha3_512", 259), ("rsa_signature_3072_sha512_256", 258),
        ("rsa_signature_3072_sha512", 260), ("rsa_signature_4096_sha256", 258), ("rsa_signature_4096_sha384", 259),
        ("rsa_signature_4096_sha512_256", 258), ("rsa_signature_4096_sha512", 259),
        ("rsa_signature_8192_sha256", 258), ("rsa_signature_8192_sha384", 259), ("rsa_signature_8192_sha512", 259),
    ]

    private static let pkcs1Algorithms: [String: SignatureAlgorithm] = [
        "SHA-256": .rs256, "SHA-384": .rs384, "SHA-512": .rs512,
    ]

    @Test(
        "RSA PKCS #1: exactly the valid vectors of the three hashes are accepted, with their own algorithm",
        arguments: pkcs1
    )
    func rsaPKCS1(file: String, count: Int) throws {
        try check(file, count: count) {
            try rsaKey($0, in: "publicKey")
        } algorithm: {
            ($0.group["sha"]?.string).flatMap { Self.pkcs1Algorithms[$0] }
        }
    }

    @Test(
        "RSA PKCS #1, 1024 to 4096 bits: valid signatures are accepted, and keys of less than 2048 bits are refused",
        arguments: [("1024", 33), ("1536", 32), ("2048", 43), ("3072", 26), ("4096", 24)]
    )
    func rsaGenerated(size: String, count: Int) throws {
        try check("rsa_pkcs1_\(size)_sig_gen", count: count) {
            try rsaKey($0, in: "privateKey")
        } algorithm: {
            // Wycheproof calls the others "acceptable" for reasons that do not matter when a signature is verified, such as a weak hash.
            $0.isValid ? ($0.group["sha"]?.string).flatMap { Self.pkcs1Algorithms[$0] } : nil
        }
    }

    static let pss: [(String, Int)] = [
        ("2048_sha1_mgf1_20_params", 88), ("2048_sha1_mgf1_20", 88), ("2048_sha256_mgf1_0_params", 103),
        ("2048_sha256_mgf1_0", 103), ("2048_sha256_mgf1_32_params", 108), ("2048_sha256_mgf1_32", 108),
        ("2048_sha256_mgf1sha1_20", 108), ("2048_sha384_mgf1_48", 141), ("2048_sha512_224_mgf1_28", 100),
        ("2048_sha512_256_mgf1_32", 115), ("2048_sha512_mgf1sha256_32_params", 178), ("2048_shake128", 114),
        ("2048_shake256", 184), ("3072_sha256_mgf1_32_params", 108), ("3072_sha256_mgf1_32", 108),
        ("3072_shake128", 114), ("3072_shake256", 184), ("4096_sha256_mgf1_32", 108), ("4096_sha384_mgf1_48", 141),
        ("4096_sha512_mgf1_32_params", 177), ("4096_sha512_mgf1_32", 177), ("4096_sha512_mgf1_64_params", 179),
        ("4096_sha512_mgf1_64", 179), ("4096_shake256", 184), ("misc_params", 150), ("misc", 150),
    ]

    @Test(
        "RSA-PSS: only a mask with the same hash and a salt as long as the hash are accepted (RFC 7518)",
        arguments: pss
    )
    func rsaPSS(file: String, count: Int) throws {
        let algorithms: [String: (SignatureAlgorithm, Int)] = [
            "SHA-256": (.ps256, 32), "SHA-384": (.ps384, 48), "SHA-512": (.ps512, 64),
        ]
        try check("rsa_pss_\(file)", count: count) {
            try rsaKey($0, in: "publicKey")
        } algorithm: { vector in
            guard let hash = vector.group["sha"]?.string, let (algorithm, salt) = algorithms[hash],
                vector.group["mgfSha"]?.string == hash, vector.group["sLen"]?.number?.integer == salt
            else { return nil }
            return algorithm
        }
    }

    static let p1363: [(String, EllipticCurve, Int)] = [
        ("secp256r1_sha256", .p256, 262), ("secp256r1_sha512", .p256, 332), ("secp256r1_shake128", .p256, 258),
        ("secp384r1_sha384", .p384, 280), ("secp384r1_sha512", .p384, 318), ("secp384r1_shake256", .p384, 314),
        ("secp521r1_sha512", .p521, 318), ("secp521r1_shake256", .p521, 314),
    ]

    private static let hashes: [EllipticCurve: String] = [.p256: "SHA-256", .p384: "SHA-384", .p521: "SHA-512"]
    private static let algorithms: [EllipticCurve: SignatureAlgorithm] = [.p256: .es256, .p384: .es384, .p521: .es512]

    private func curveKey(_ vector: Wycheproof.Vector, _ curve: EllipticCurve) throws -> VerificationKey? {
        let point = try vector.keyBytes("uncompressed").dropFirst()
        return try .ellipticCurve(
            curve,
            x: Array(point.prefix(curve.coordinateCount)),
            y: Array(point.dropFirst(curve.coordinateCount))
        )
    }

    @Test(
        "ECDSA with concatenated r and s: exactly the valid vectors with the curve's own hash are accepted",
        arguments: p1363
    )
    func ecdsa(file: String, curve: EllipticCurve, count: Int) throws {
        try check("ecdsa_\(file)_p1363", count: count) {
            try curveKey($0, curve)
        } algorithm: {
            $0.group["sha"]?.string == Self.hashes[curve] ? Self.algorithms[curve] : nil
        }
    }

    static let der: [(String, EllipticCurve)] = [
        ("ecdsa_secp256r1_sha256", .p256), ("ecdsa_secp384r1_sha384", .p384), ("ecdsa_secp521r1_sha512", .p521),
    ]

    @Test("ECDSA in DER is not a JOSE signature, even if it is valid", arguments: der)
    func distinguishedEncoding(file: String, curve: EllipticCurve) throws {
        for vector in try Wycheproof(file).vectors {
            let isAccepted = try curveKey(vector, curve)?.verify(
                try vector.bytes("sig"),
                of: try vector.bytes("msg"),
                algorithm: try #require(Self.algorithms[curve])
            )
            #expect(isAccepted == false, "\(vector.label)")
        }
    }

    @Test("Ed25519: exactly the valid vectors are accepted")
    func edDSA() throws {
        try check("ed25519", count: 151) {
            try VerificationKey.ed25519(try $0.keyBytes("pk"))
        } algorithm: { _ in
            .edDSA
        }
    }
}
