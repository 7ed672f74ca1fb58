internal import CIdentityOpenSSL

/// The owner of an `EVP_PKEY`.
///
/// `@unchecked Sendable`: the key does not change after the initializer. OpenSSL allows several threads to use one key with separate
/// contexts, and locks the caches inside the key.
@safe
final class KeyHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes over the caller's reference to the key, which `deinit` frees.
    init(owning pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe EVP_PKEY_free(pointer)
    }

    /// Creates a public key, or a key pair whose halves OpenSSL does not compare; nil if OpenSSL refuses the parameters.
    static func imported(type: String, isPair: Bool, _ parameters: ParameterList) -> KeyHandle? {
        unsafe make(type: type) { context, key in
            let selection = isPair ? identity_key_pair_selection() : identity_public_key_selection()
            return unsafe EVP_PKEY_fromdata_init(context) == 1
                && parameters.withPointer { unsafe EVP_PKEY_fromdata(context, &key, selection, $0) == 1 }
        }
    }

    /// Generates a key pair, whose size or curve `configure` sets; nil if `configure` returns false or OpenSSL fails.
    static func generate(type: String, configure: (OpaquePointer) -> Bool) -> KeyHandle? {
        unsafe make(type: type) { context, key in
            unsafe EVP_PKEY_keygen_init(context) == 1 && configure(context) && EVP_PKEY_generate(context, &key) == 1
        }
    }

    private static func make(type: String, _ body: (OpaquePointer, inout OpaquePointer?) -> Bool) -> KeyHandle? {
        ErrorQueue.preserved {
            guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, type, nil) else { return nil }
            defer { unsafe EVP_PKEY_CTX_free(context) }
            var key: OpaquePointer?
            let isMade = unsafe body(context, &key)
            guard let key = unsafe key else { return nil }
            let handle = unsafe KeyHandle(owning: key)
            return isMade ? handle : nil
        }
    }

    /// Whether the public half passes OpenSSL's quick check, for example whether the point of an elliptic curve key is on the curve.
    var isPublicKeyConsistent: Bool {
        ErrorQueue.preserved {
            guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil) else { return false }
            defer { unsafe EVP_PKEY_CTX_free(context) }
            return unsafe EVP_PKEY_public_check_quick(context) == 1
        }
    }

    /// Creates a context for signing or verifying, which the caller must free; nil if OpenSSL refuses an option or fails.
    func makeContext(
        _ algorithm: SignatureAlgorithm,
        _ hash: FetchedAlgorithm,
        initialize: (OpaquePointer) -> Int32
    ) -> OpaquePointer? {
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil) else { return nil }
        var ready = unsafe initialize(context) == 1
        switch algorithm.padding {
        case .pkcs1:
            ready = unsafe ready && EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
        case .pss:
            // RFC 7518 section 3.5: MGF1 uses the hash of the message, and the salt is as long as the hash.
            ready =
                unsafe ready && EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1
                && EVP_PKEY_CTX_set_rsa_mgf1_md(context, hash.pointer) == 1
                && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1
        case nil:
            break
        }
        ready = unsafe ready && EVP_PKEY_CTX_set_signature_md(context, hash.pointer) == 1
        guard ready else {
            unsafe EVP_PKEY_CTX_free(context)
            return nil
        }
        return unsafe context
    }
}
