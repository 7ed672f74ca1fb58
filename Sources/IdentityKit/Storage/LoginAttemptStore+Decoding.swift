internal import Synchronization

extension LoginAttemptStore {
    /// Takes a login attempt, or a pending logout, and returns it decoded.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - decode: Decodes and checks the record before it is removed. When it throws, the record stays.
    /// - Returns: The result of `decode`; nil if the store has no record with this key.
    /// - Throws: The error of `decode`, or `IdentityError` of the store.
    func takeDecoded<Attempt: Sendable>(
        _ key: String,
        _ decode: @escaping @Sendable (StoredLoginAttempt) throws -> Attempt
    ) async throws -> Attempt? {
        let decoded = Mutex<Attempt?>(nil)
        let taken = try await takeLoginAttempt(key) { stored in
            let attempt = try decode(stored)
            decoded.withLock { $0 = attempt }
        }
        return taken == nil ? nil : decoded.withLock(\.self)
    }
}
