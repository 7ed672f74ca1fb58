/// A store with a maximum number of sessions that can add the successor of a session at the limit.
package protocol SessionReplacing: SessionRecordStore {
    /// Adds a new session as ``SessionRecordStore/insert(_:)`` does, also above the maximum.
    ///
    /// The caller removes another session of the tenant next.
    func insertReplacement(_ session: StoredSession) async throws
}
