internal import Synchronization

/// The part of a store that keeps login attempts until their callback, and pending logouts until the browser returns.
public protocol LoginAttemptStore: Sendable {
    /// Adds a login attempt or a pending logout; replaces an earlier record with the same key.
    func insert(_ attempt: StoredLoginAttempt) async throws

    /// Removes and returns a login attempt or pending logout, atomically: only one of several tasks or processes gets the attempt.
    ///
    /// - Parameters:
    ///   - key: The key of the attempt.
    ///   - check: Called with the attempt before its removal. If `check` throws, the attempt stays in the store, so that a forged callback
    ///     cannot end a buyer's login.
    /// - Returns: The attempt; nil if the store has no attempt with this key.
    /// - Throws: The error of `check`, or ``IdentityError`` of the store.
    func takeLoginAttempt(
        _ key: String,
        after check: @escaping @Sendable (StoredLoginAttempt) throws -> Void
    ) async throws -> StoredLoginAttempt?
}

extension LoginAttemptStore {
    /// Removes and returns a login attempt or pending logout; nil if the store has no attempt with this key.
    ///
    /// - Throws: ``IdentityError`` of the store.
    public func takeLoginAttempt(_ key: String) async throws -> StoredLoginAttempt? {
        try await takeLoginAttempt(key, after: { _ in })
    }
}

extension StoredLoginAttempt {
    /// Takes an attempt out of a store and decodes it; if `decode` throws, the attempt stays in the store.
    static func take<Attempt: Sendable>(
        _ key: String,
        from store: any LoginAttemptStore,
        _ decode: @escaping @Sendable (StoredLoginAttempt) throws -> Attempt
    ) async throws -> Attempt? {
        let decoded = Mutex<Attempt?>(nil)
        let taken = try await store.takeLoginAttempt(key) { stored in
            let attempt = try decode(stored)
            decoded.withLock { $0 = attempt }
        }
        return taken == nil ? nil : decoded.withLock { $0 }
    }
}
