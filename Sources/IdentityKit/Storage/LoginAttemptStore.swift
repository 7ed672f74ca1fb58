internal import Synchronization

/// The part of a store that keeps login attempts until their callback, and pending logouts until the browser returns.
public protocol LoginAttemptStore: Sendable {
    /// Adds a login attempt or a pending logout; replaces an earlier one with the same key.
    func insert(_ attempt: StoredLoginAttempt) async throws

    /// Removes a login attempt and returns it, atomically: if several tasks or processes take the same attempt, only one gets it.
    ///
    /// - Parameters:
    ///   - key: The key of the login attempt.
    ///   - check: Called with the login attempt before the attempt is removed. If `check` throws, the attempt stays in the store, so that
    ///     a forged callback cannot end a buyer's login.
    /// - Returns: The login attempt; nil if the store has no attempt with this key.
    /// - Throws: The error of `check`, or ``IdentityError`` of the store.
    func takeLoginAttempt(
        _ key: String,
        after check: @escaping @Sendable (StoredLoginAttempt) throws -> Void
    ) async throws -> StoredLoginAttempt?
}

extension LoginAttemptStore {
    /// Removes a login attempt and returns it, atomically: if several tasks or processes take the same attempt, only one gets it.
    ///
    /// - Throws: ``IdentityError`` of the store.
    public func takeLoginAttempt(_ key: String) async throws -> StoredLoginAttempt? {
        try await takeLoginAttempt(key, after: { _ in })
    }

    /// Decodes a login attempt or pending logout with `decode`, then removes it from the store; if `decode` throws, it stays in the store.
    ///
    /// - Returns: The result of `decode`; nil if the store has no login attempt or pending logout with this key.
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
