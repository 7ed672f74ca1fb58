internal import CIdentityOpenSSL

extension SigningKey {
    /// Reads a private key in unencrypted PKCS#8 (RFC 5958): RSA, P-256, P-384, P-521 or Ed25519.
    ///
    /// Throws `invalidKey` also if ``VerificationKey`` refuses the public half, or if the private and public half do not belong together.
    package static func pkcs8(_ der: [UInt8]) throws(CryptoError) -> SigningKey {
        let pointer = unsafe ErrorQueue.preserved {
            unsafe der.withUnsafeBufferPointer { der -> OpaquePointer? in
                guard let start = der.baseAddress else { return nil }
                var cursor: UnsafePointer<UInt8>? = unsafe start
                guard let info = unsafe d2i_PKCS8_PRIV_KEY_INFO(nil, &cursor, der.count) else { return nil }
                defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
                guard unsafe cursor == start + der.count else { return nil }
                return unsafe EVP_PKCS82PKEY(info)
            }
        }
        guard let pointer = unsafe pointer else {
            throw CryptoError(.invalidKey, "OpenSSL could not read the PKCS#8 key")
        }
        return try SigningKey(imported: unsafe KeyHandle(owning: pointer))
    }

    /// Creates an RSA key from the numbers of a JWK (RFC 7518 section 6.3.2), all unsigned, most significant octet first.
    package static func rsa(
        modulus: [UInt8],
        exponent: [UInt8],
        privateExponent: [UInt8],
        primes: (p: [UInt8], q: [UInt8]),
        exponents: (dp: [UInt8], dq: [UInt8]),
        coefficient: [UInt8]
    ) throws(CryptoError) -> SigningKey {
        let parameters = ParameterList()
        // In OpenSSL 3.0, the macro of each of the last five names consists of two string literals, and Swift does not import such a macro.
        for (name, number) in [
            (OSSL_PKEY_PARAM_RSA_N, modulus), (OSSL_PKEY_PARAM_RSA_E, exponent),
            (OSSL_PKEY_PARAM_RSA_D, privateExponent), ("rsa-factor1", primes.p),
            ("rsa-factor2", primes.q), ("rsa-exponent1", exponents.dp),
            ("rsa-exponent2", exponents.dq), ("rsa-coefficient1", coefficient),
        ] {
            guard !number.isEmpty, number.count <= 1025 else {
                throw CryptoError(
                    .invalidKey,
                    "n, e, d, p, q, dp, dq or qi of the RSA key is empty or longer than 8192 bits"
                )
            }
            parameters.add(name, bigEndian: number)
        }
        guard let handle = KeyHandle.imported(type: "RSA", isPair: true, parameters) else {
            throw CryptoError(.invalidKey, "OpenSSL rejected the RSA key")
        }
        return try SigningKey(imported: handle)
    }

    /// Creates a key on a NIST curve from the numbers of a JWK (RFC 7518 section 6.2.2).
    package static func ellipticCurve(
        _ curve: EllipticCurve,
        x: [UInt8],
        y: [UInt8],
        privateNumber: [UInt8]
    ) throws(CryptoError) -> SigningKey {
        guard [x, y, privateNumber].allSatisfy({ $0.count == curve.coordinateCount }) else {
            throw CryptoError(
                .invalidKey,
                "x, y and d of a key on \(curve.rawValue) must have \(curve.coordinateCount) bytes each"
            )
        }
        let parameters = ParameterList()
        parameters.add(OSSL_PKEY_PARAM_GROUP_NAME, text: curve.rawValue)
        parameters.add(OSSL_PKEY_PARAM_PUB_KEY, octets: [0x04] + x + y)
        parameters.add(OSSL_PKEY_PARAM_PRIV_KEY, bigEndian: privateNumber)
        guard let handle = KeyHandle.imported(type: "EC", isPair: true, parameters) else {
            throw CryptoError(.invalidKey, "OpenSSL rejected x, y or d of the key on \(curve.rawValue)")
        }
        return try SigningKey(imported: handle)
    }

    /// Creates an Ed25519 key from `x` and `d` of a JWK (RFC 8037 section 2); throws if `x` is not the public key of `d`.
    package static func ed25519(x: [UInt8], privateNumber: [UInt8]) throws(CryptoError) -> SigningKey {
        guard x.count == 32, privateNumber.count == 32 else {
            throw CryptoError(.invalidKey, "x and d of an Ed25519 key must have 32 bytes each")
        }
        let pointer = unsafe ErrorQueue.preserved {
            unsafe EVP_PKEY_new_raw_private_key_ex(nil, "ED25519", nil, privateNumber, privateNumber.count)
        }
        guard let pointer = unsafe pointer else {
            throw CryptoError(
                .invalidKey,
                "OpenSSL could not create the Ed25519 key; its configuration may not permit Ed25519"
            )
        }
        let key = try SigningKey(imported: unsafe KeyHandle(owning: pointer))
        guard key.publicNumbers == .ed25519(x: x) else { throw halvesDiffer }
        return key
    }

    /// The private number of an elliptic curve key (RFC 7518 section 6.2.2.1); nil for other kinds of keys, and if OpenSSL fails.
    ///
    /// The SDK stores the DPoP key of a login or session as a JWK with this number.
    package func privateNumber() -> [UInt8]? {
        guard case .ellipticCurve(let curve, _, _) = publicNumbers else { return nil }
        return handle.number(OSSL_PKEY_PARAM_PRIV_KEY, count: curve.coordinateCount)
    }

    /// Imports a key and checks that its public half verifies what its private half signs.
    private convenience init(imported handle: KeyHandle) throws(CryptoError) {
        try self.init(handle)
        let verifier = try publicNumbers.verificationKey()
        let probe = Array("probe".utf8)
        guard let algorithm = SignatureAlgorithm.allCases.first(where: supports),
            let signature = try? sign(probe, algorithm: algorithm),
            verifier.verify(signature, of: probe, algorithm: algorithm)
        else { throw Self.halvesDiffer }
    }

    private static let halvesDiffer = CryptoError(
        .invalidKey,
        "the private and the public half of the key do not belong together, or OpenSSL could not sign with it"
    )
}

extension PublicNumbers {
    fileprivate func verificationKey() throws(CryptoError) -> VerificationKey {
        switch self {
        case .rsa(let modulus, let exponent): try .rsa(modulus: modulus, exponent: exponent)
        case .ellipticCurve(let curve, let x, let y): try .ellipticCurve(curve, x: x, y: y)
        case .ed25519(let x): try .ed25519(x)
        }
    }
}
