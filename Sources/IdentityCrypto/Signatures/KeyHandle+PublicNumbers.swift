internal import CIdentityOpenSSL

extension KeyHandle {
    func publicNumbers() throws(CryptoError) -> PublicNumbers {
        if isA("RSA"), let modulus = number(OSSL_PKEY_PARAM_RSA_N, count: nil),
            let exponent = number(OSSL_PKEY_PARAM_RSA_E, count: nil)
        {
            return .rsa(modulus: modulus, exponent: exponent)
        }
        if isA("EC"), let curve, let x = number(OSSL_PKEY_PARAM_EC_PUB_X, count: curve.coordinateCount),
            let y = number(OSSL_PKEY_PARAM_EC_PUB_Y, count: curve.coordinateCount)
        {
            return .ellipticCurve(curve, x: x, y: y)
        }
        if isA("ED25519"), let x = ed25519PublicKey() { return .ed25519(x: x) }
        throw CryptoError(.invalidKey, "the type of the key is not supported; use RSA, P-256, P-384, P-521 or Ed25519")
    }

    private func isA(_ type: String) -> Bool {
        unsafe EVP_PKEY_is_a(pointer, type) == 1
    }

    /// The curve of the key, which OpenSSL may name differently than JOSE; nil for other curves than P-256, P-384 and P-521.
    private var curve: EllipticCurve? {
        var name = [CChar](repeating: 0, count: 64)
        let isNamed = ErrorQueue.preserved {
            unsafe EVP_PKEY_get_group_name(pointer, &name, name.count, nil) == 1
        }
        guard isNamed else { return nil }
        switch String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) {
        case "prime256v1", "P-256": return .p256
        case "secp384r1", "P-384": return .p384
        case "secp521r1", "P-521": return .p521
        default: return nil
        }
    }

    /// A number of the key, most significant octet first, padded to `count` bytes; without padding if `count` is nil.
    ///
    /// Nil if the key has no number with this name, or if the number is longer than `count` bytes. The number may be secret, so OpenSSL's
    /// copy is wiped before it is freed.
    func number(_ name: String, count: Int?) -> [UInt8]? {
        ErrorQueue.preserved {
            var number: OpaquePointer?
            let found = unsafe EVP_PKEY_get_bn_param(pointer, name, &number) == 1
            defer { unsafe BN_clear_free(number) }
            guard found else { return nil }
            let length = unsafe Int32(count ?? Int(BN_num_bits(number) + 7) / 8)
            var bytes = [UInt8].zeros(Int(length))
            return unsafe BN_bn2binpad(number, &bytes, length) == length ? bytes : nil
        }
    }

    private func ed25519PublicKey() -> [UInt8]? {
        ErrorQueue.preserved {
            var bytes = [UInt8].zeros(32)
            var count = 32
            return unsafe EVP_PKEY_get_raw_public_key(pointer, &bytes, &count) == 1 && count == 32 ? bytes : nil
        }
    }
}
