import IdentityKit
import IdentityOIDC
import IdentitySandbox
import Testing

@Suite("Attacks: keys and signatures")
struct AttackKeyTests {
    @Test(
        "an ID token without a signature is refused, however its header spells none",
        arguments: ["none", "None", "nOnE", "NONE", " none", "", "null"]
    )
    func unsigned(spelling: String) async throws {
        try await CertificationModule.run { module in
            try await module.refusesLogin(.idTokenAlgorithm, .unsigned(spelling))
            try await module.refusesLogin(.idTokenMalformed, .unsigned().and(.tokenHeader("alg", nil)))
            // The client also refuses an accepted algorithm name with an empty signature.
            try await module.refusesLogin(.idTokenSignature, .idToken { $0.signature = .absent })
        }
    }

    @Test(
        "an ID token that is signed with HMAC and the public key is refused",
        arguments: SandboxFault.ConfusedKey.allCases
    )
    func confusion(key: SandboxFault.ConfusedKey) async throws {
        for algorithm in [SandboxOpenIDConfiguration.Algorithm.rs256, .es256] {
            var openID = SandboxOpenIDConfiguration()
            openID.algorithm = algorithm
            // The client also refuses HS256 if the metadata list it.
            let metadata = SandboxFault.member(
                "id_token_signing_alg_values_supported",
                .array([.string("HS256"), .string("RS256"), .string("ES256")])
            )
            try await CertificationModule.run(.init(openID: openID, metadata: metadata)) { module in
                try await module.refusesLogin(.idTokenAlgorithm, .hmac(keyedWith: key))
                // The attacker may name the correct algorithm.
                try await module.refusesLogin(
                    .idTokenSignature,
                    .hmac(keyedWith: key).and(
                        .tokenHeader("alg", .string(algorithm == .rs256 ? "RS256" : "ES256"))
                    )
                )
            }
        }
    }

    @Test("a key in the header of an ID token is neither used nor fetched")
    func headerKeys() async throws {
        let listener = try await SandboxListener.start()
        let attacker = try SandboxKeyPair()
        let keys = SandboxResponse.json(["keys": .array([.object(attacker.publicKey.jwk(keyID: "attacker"))])])
        listener.answer("/keys", with: keys)
        let places: [SandboxFault.HeaderKey] = [
            .jwk, .jku(listener.origin + "/keys"), .x5c, .x5u(listener.origin + "/certificate"),
        ]
        try await CertificationModule.run { module in
            for place in places {
                let forged = SandboxFault.keyInHeader(place, of: attacker)
                try await module.refusesLogin(.idTokenKeyUnknown, forged)
                let renamed = SandboxFault.keyInHeader(place, of: attacker, keyID: nil)
                try await module.refusesLogin(.idTokenSignature, renamed)
                try await module.refusesLogin(.idTokenSignature, renamed.and(.tokenHeader("kid", nil)))
            }
        }
        #expect(listener.requests.isEmpty)
        await listener.stop()
    }

    @Test("an ID token with a hostile kid is refused, and causes few fetches of keys")
    func keyIDs() async throws {
        let listener = try await SandboxListener.start()
        let texts = [
            "../../../../dev/null", "' OR '1'='1", "", listener.origin + "/key",
            "%s%n", String(repeating: "k", count: 20_000),
        ]
        try await CertificationModule.run { module in
            for text in texts {
                try await module.refusesLogin(.idTokenKeyUnknown, .tokenHeader("kid", .string(text)))
            }
            let changes: [@Sendable (String) -> String] = [{ $0 + "\u{0}" }, { " " + $0 }, { $0.uppercased() }]
            for change in changes {
                let edit = SandboxFault.idToken { token in
                    token.header["kid"] = token.header["kid"]?.string.map { .string(change($0)) }
                }
                try await module.refusesLogin(.idTokenKeyUnknown, edit)
            }
            // The whole response is too large.
            try await module.refusesLogin(
                .tokenResponseInvalid,
                .tokenHeader("kid", .string(String(repeating: "k", count: 700_000)))
            )
            // One fetch for the first login, and two more that the rate limit permits at once.
            #expect(module.openID.requests(to: .jwks).count <= 3)
            try await module.acceptsLogin()
        }
        #expect(listener.requests.isEmpty)
        await listener.stop()
    }

    @Test(
        "an ECDSA signature with invalid numbers or a wrong length is refused",
        arguments: SandboxFault.CurveSignature.allCases
    )
    func curves(kind: SandboxFault.CurveSignature) async throws {
        var openID = SandboxOpenIDConfiguration()
        openID.algorithm = .es256
        try await CertificationModule.run(.init(openID: openID)) { module in
            try await module.refusesLogin(.idTokenSignature, .curveSignature(kind))
            try await module.acceptsLogin()
        }
    }

    @Test("an ID token signed with another key or another algorithm is refused")
    func signatures() async throws {
        try await CertificationModule.run { module in
            try await module.refusesLogin(.idTokenSignature, .signature(.foreignKey))
            try await module.refusesLogin(.idTokenSignature, .signature(.changed { $0 + [0] }))
            try await module.refusesLogin(.idTokenSignature, .signature(.changed { [0] + $0 }))
            // A valid signature of the published key, with an algorithm that is not accepted.
            try module.publish(keys: .keysWithout("alg"))
            for name in ["PS256", "RS384", "RS512"] {
                try await module.refusesLogin(.idTokenAlgorithm, .signature(.algorithm(name)))
            }
        }
    }

    static let keySets: [(String, @Sendable () throws -> SandboxFault, IdentityError.Code?)] = [
        ("no keys", { .noKeys }, .discoveryFailed),
        ("another key with the same kid", { .otherKeys(try SandboxKeyPair()) }, .idTokenSignature),
        ("a key of 1024 bits", { .otherKeys(try SandboxKeyPair(.rsa(bits: 1024))) }, .discoveryFailed),
        ("a symmetric key", { .symmetricKey([1, 2, 3]) }, .discoveryFailed),
        ("another curve", { .otherKeys(try SandboxKeyPair(.p384)) }, .idTokenKeyUnknown),
        ("no kid, although the token has one", { .keysWithout("kid") }, .idTokenKeyUnknown),
        ("keys for encryption", { .keyMember("use", .string("enc")) }, .discoveryFailed),
        ("keys of another algorithm", { .keyMember("alg", .string("PS256")) }, .idTokenKeyUnknown),
        ("a private key", { .keyMember("d", .string("AQAB")) }, .discoveryFailed),
        ("an even modulus", { .keyMember("n", .string("AAAA")) }, .discoveryFailed),
        ("an exponent of one", { .keyMember("e", .string("AQ")) }, .discoveryFailed),
        ("bytes that are not UTF-8", { .keySetBytes([0x7B, 0xFF, 0x7D]) }, .discoveryFailed),
        ("an array", { .keySetBytes(Array("[]".utf8)) }, .discoveryFailed),
        ("keys twice", { .keySetBytes(Array(#"{"keys":[],"keys":[]}"#.utf8)) }, .discoveryFailed),
        ("a second key with the same kid before it", { .duplicateKeyID(try SandboxKeyPair()) }, nil),
        ("a second key with the same kid after it", { .duplicateKeyID(try SandboxKeyPair(), before: false) }, nil),
        ("no use and no alg", { .keysWithout("use", "alg") }, nil),
    ]

    @Test("each unsuitable or unreadable key is ignored or fails the login, as listed", arguments: keySets.indices)
    func keySet(index: Int) async throws {
        let (_, keys, code) = Self.keySets[index]
        try await CertificationModule.run(.init(keys: try keys())) { module in
            if let code { try await module.refusesLogin(code) } else { try await module.acceptsLogin() }
        }
    }
}
