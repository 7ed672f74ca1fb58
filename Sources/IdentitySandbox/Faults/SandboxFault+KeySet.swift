internal import IdentityCrypto
public import IdentityKit

/// Faults that change the published key set; plan them for requests to ``SandboxEndpoint/jwks``.
extension SandboxFault {
    /// Changes the published keys with a closure.
    public static func keys(_ change: @escaping @Sendable (inout [JSONObject]) -> Void) -> SandboxFault {
        .editJSON { object in
            var keys = object["keys"]?.array?.compactMap(\.object) ?? []
            change(&keys)
            object["keys"] = .array(keys.map { .object($0) })
        }
    }

    /// Sends these bytes instead of the key set, with status 200.
    public static func keySetBytes(_ bytes: [UInt8]) -> SandboxFault {
        .edit { $0.body = bytes }
    }

    /// Publishes an empty key set.
    public static let noKeys = SandboxFault.keys { $0 = [] }

    /// Replaces every published key with the public key of `pair`, and keeps each `kid`.
    public static func otherKeys(_ pair: SandboxKeyPair) -> SandboxFault {
        .keys { keys in
            keys = keys.map {
                pair.publicKey.jwk(keyID: $0["kid"]?.string, algorithm: pair.algorithm, use: "sig")
            }
        }
    }

    /// Adds another key with the `kid` of the last published key, at the beginning or at the end of the set.
    public static func duplicateKeyID(_ pair: SandboxKeyPair, before isBefore: Bool = true) -> SandboxFault {
        .keys { keys in
            let key = pair.publicKey.jwk(keyID: keys.last?["kid"]?.string, algorithm: pair.algorithm, use: "sig")
            keys.insert(key, at: isBefore ? 0 : keys.count)
        }
    }

    /// Adds a key at the end of the set.
    public static func additionalKey(_ key: JSONObject) -> SandboxFault {
        .keys { $0.append(key) }
    }

    /// Removes members such as `kid`, `alg` and `use` from all keys.
    public static func keysWithout(_ names: String...) -> SandboxFault {
        .keys { keys in
            for index in keys.indices { for name in names { keys[index][name] = nil } }
        }
    }

    /// Sets a member of all keys.
    public static func keyMember(_ name: String, _ value: JSONValue) -> SandboxFault {
        .keys { keys in for index in keys.indices { keys[index][name] = value } }
    }

    /// Replaces the whole set with a symmetric key (RFC 7518 section 6.4) that has the `kid` of the last published key.
    public static func symmetricKey(_ bytes: [UInt8]) -> SandboxFault {
        .keys { keys in
            var key: JSONObject = ["kty": .string("oct"), "k": .string(Base64URL.encode(bytes))]
            key["kid"] = keys.last?["kid"]
            keys = [key]
        }
    }

    /// Adds unusual keys, as many test modules of the OpenID conformance suite publish them in addition to the correct keys.
    ///
    /// The added keys have no `alg`, or are for encryption. A client must still accept tokens that are signed with the correct keys.
    ///
    /// - Throws: An error if the system cannot create a key.
    public static func certificationKeys() throws -> SandboxFault {
        var strange: [JSONObject] = []
        for name in ["1", "2"] {
            for kind in [SandboxKeyPair.Kind.rsa(bits: 2048), .p256] {
                let pair = try SandboxKeyPair(kind, name: "certification-" + name)
                strange.append(pair.publicKey.jwk(keyID: "\(pair.algorithm)-\(name)", use: "sig"))
            }
        }
        strange.append([
            "kty": .string("EC"), "crv": .string("secp256k1"), "use": .string("sig"), "kid": .string("koblitz"),
            "x": .string("eb5mfvncu6xVoGKVzocLBwKb_NstzijZWfKBWxb4F5g"),
            "y": .string("SDradyajxGVdpPv8DhEIqP0XtEimhVQZnEfQj_sQ1Lg"),
        ])
        strange.append(try SandboxKeyPair(.ed25519).publicKey.jwk(keyID: "edwards", use: "sig"))
        for (kind, algorithm) in [(SandboxKeyPair.Kind.rsa(bits: 2048), "RSA-OAEP"), (.p256, "ECDH-ES")] {
            let pair = try SandboxKeyPair(kind, name: "certification-encryption")
            strange.append(pair.publicKey.jwk(keyID: algorithm, algorithm: algorithm, use: "enc"))
        }
        let keys = strange
        return .keys { $0 = keys + $0 }
    }
}
