/// A store that can check whether it can be read, for a probe.
///
/// Without it, a probe looks up a session that does not exist. A store with several servers may refuse to answer that if it reaches only a
/// server that is behind, although it can read the sessions that this server has.
package protocol StoreReadChecking: Sendable {
    /// Reads the store once.
    ///
    /// - Throws: `IdentityError` if the store cannot be read.
    func checkReadable() async throws
}
