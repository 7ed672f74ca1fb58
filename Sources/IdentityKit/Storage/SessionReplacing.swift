/// A store that limits the number of a tenant's sessions, and can exceed the limit while a new session replaces an old one.
package protocol SessionReplacing: SessionRecordStore {
    /// Adds a new session as ``SessionRecordStore/insert(_:)`` does, even if the tenant has the maximum number of sessions.
    ///
    /// The caller then removes the session that the new one replaces.
    func insertReplacement(_ session: StoredSession) async throws
}
