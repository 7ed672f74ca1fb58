/// A store that checks in its own way whether it can be read, for ``SessionManager/readiness()``.
///
/// With other stores, `readiness()` looks up a session that does not exist. On a PostgreSQL standby this lookup throws, because a standby
/// may lack new sessions, although the standby can still serve the sessions that it has.
package protocol StoreReadChecking: Sendable {
    /// Reads the store once; throws ``IdentityError`` if the store cannot be read.
    func checkReadable() async throws
}
