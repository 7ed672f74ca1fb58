/// A store that limits the number of sessions of a tenant, and can exceed the limit while one session replaces another.
package protocol SessionReplacing: SessionRecordStore {
    /// Adds a new session as ``SessionRecordStore/insert(_:)`` does, even if the tenant has the maximum number of sessions.
    ///
    /// The caller then removes the session that the new one replaces.
    func insertReplacement(_ session: StoredSession) async throws
}
