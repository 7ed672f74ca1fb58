/// A store that checks in its own way whether it can be read, for ``SessionManager/readiness()``.
///
/// With other stores, `readiness()` looks up a session that does not exist. A store in PostgreSQL throws at this lookup if it can only
/// reach a standby, because a standby may lack new sessions. But the standby can still serve the sessions that it has.
package protocol StoreReadChecking: Sendable {
    /// Reads the store once.
    ///
    /// - Throws: `IdentityError` if the store cannot be read.
    func checkReadable() async throws
}
