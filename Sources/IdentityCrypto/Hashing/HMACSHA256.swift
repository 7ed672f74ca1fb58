internal import CIdentityOpenSSL
internal import Synchronization

/// HMAC with SHA-256 (RFC 2104, FIPS 198-1), for many messages under one key.
///
/// The OpenSSL context is reused: a new context looks up the digest by name, which takes longer than to authenticate a short message.
package final class HMACSHA256: Sendable {
    package static let codeCount = 32

    private let key: SecretBytes
    private let context = Mutex<Context?>(nil)

    package init(_ key: SecretBytes) {
        self.key = key
    }

    package static func authenticationCode(for message: [UInt8], key: SecretBytes) throws(CryptoError) -> [UInt8] {
        try HMACSHA256(key).authenticationCode(for: message)
    }

    /// The 32-byte authentication code of a message; compare codes with `constantTimeEqual`.
    package func authenticationCode(for message: [UInt8]) throws(CryptoError) -> [UInt8] {
        var code = [UInt8].zeros(Self.codeCount)
        var span = code.mutableSpan
        try unsafe span.withUnsafeMutableBytes { (code) throws(CryptoError) in try unsafe write(to: code, message) }
        return code
    }

    /// The authentication code of a message, returned as a secret, because it may be used as a derived key.
    package func secretCode(for message: [UInt8]) throws(CryptoError) -> SecretBytes {
        try unsafe SecretBytes(count: Self.codeCount) { (code) throws(CryptoError) in
            try unsafe write(to: code, message)
        }
    }

    private func write(to code: UnsafeMutableRawBufferPointer, _ message: [UInt8]) throws(CryptoError) {
        // HMAC allows an empty key, but anybody can compute a code with an empty key.
        guard key.count > 0 else { throw CryptoError(.invalidKey, "the HMAC key is empty") }
        let algorithm = try LazyAlgorithm.hmac.available()
        let succeeded = ErrorQueue.preserved {
            context.withLock { context in
                if context == nil { context = Context(algorithm) }
                return unsafe context?.write(to: code, message, key) ?? false
            }
        }
        guard succeeded else {
            throw CryptoError(.operationFailed, "OpenSSL could not compute the authentication code (HMAC)")
        }
    }

    /// `@unchecked Sendable`: ``HMACSHA256`` uses the context only under its lock.
    @safe
    private final class Context: @unchecked Sendable {
        private let pointer: OpaquePointer

        init?(_ algorithm: FetchedAlgorithm) {
            guard let pointer = unsafe EVP_MAC_CTX_new(algorithm.pointer) else { return nil }
            unsafe self.pointer = pointer
            let parameters = ParameterList()
            parameters.add(OSSL_MAC_PARAM_DIGEST, text: "SHA2-256")
            guard unsafe parameters.withPointer({ unsafe EVP_MAC_CTX_set_params(pointer, $0) }) == 1 else { return nil }
        }

        deinit {
            unsafe EVP_MAC_CTX_free(pointer)
        }

        func write(to code: UnsafeMutableRawBufferPointer, _ message: [UInt8], _ key: SecretBytes) -> Bool {
            // The key is passed for each message: without a key, OpenSSL before version 3.0.3 does not begin a new message.
            let initialized = unsafe key.withUnsafeBytes { key in
                unsafe EVP_MAC_init(pointer, key.baseAddress?.assumingMemoryBound(to: UInt8.self), key.count, nil)
            }
            let output = unsafe code.baseAddress?.assumingMemoryBound(to: UInt8.self)
            var written = 0
            return unsafe initialized == 1
                && EVP_MAC_update(pointer, message, message.count) == 1
                && EVP_MAC_final(pointer, output, &written, code.count) == 1
                && written == code.count
        }
    }
}
