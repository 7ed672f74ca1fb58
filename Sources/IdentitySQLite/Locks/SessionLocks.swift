internal import IdentityKit
internal import Synchronization

/// The session locks of one store, which use one open description of the lock file.
///
/// The kernel excludes other processes. Locks of one description do not exclude each other, so a task first takes its lock of
/// ``SQLiteStore/taskLocks``. A description for each holder would do both, but thousands of concurrent refreshes would exhaust the
/// descriptors.
final class SessionLocks: Sendable {
    private struct State: ~Copyable {
        var descriptor: LockDescriptor?
        /// The bytes that stay locked for other processes when their holders unlock them.
        var kept: Set<Int64> = []
    }

    private let path: String
    private let state = Mutex(State())

    init(path: String) {
        self.path = path
    }

    /// Locks a byte if no other process has it.
    ///
    /// - Throws: `IdentityError` also when the lock file was removed or replaced since it was opened: processes that
    ///   started later lock another file then and would not be excluded.
    func tryLock(_ byte: Int64) throws(IdentityError) -> Bool {
        try state.withLock { state throws(IdentityError) in
            let descriptor: LockDescriptor
            if let open = state.descriptor {
                descriptor = open
            } else {
                descriptor = try LockDescriptor(path: path)
                state.descriptor = descriptor
            }
            guard try descriptor.tryLock(byte) else { return false }
            guard descriptor.isFile(at: path) else {
                descriptor.unlock(byte)
                throw IdentityError(
                    .configuration,
                    .storeFailed,
                    "The store's lock file \(path) was removed, replaced or moved while this process runs.",
                    hint: """
                        If the store's files were moved, put them back where they were. Then restart every process of the store. No \
                        refresh token was sent.
                        """
                )
            }
            state.kept.remove(byte)
            return true
        }
    }

    /// Keeps a byte locked for other processes after it is unlocked here.
    func keep(_ byte: Int64) {
        state.withLock { _ = $0.kept.insert(byte) }
    }

    func unlock(_ byte: Int64) {
        state.withLock { state in
            if !state.kept.contains(byte) { state.descriptor?.unlock(byte) }
        }
    }
}
