internal import IdentityKit
internal import Synchronization

/// Locks sessions, attachments and carts against other processes, with one open file description of the lock file.
///
/// Locks of one description do not exclude each other. So a task first takes the lock of the same name in ``SQLiteStore/taskLocks``. With
/// one description for each lock, thousands of concurrent refreshes would reach the limit of open files.
final class SessionLocks: Sendable {
    private struct State: ~Copyable {
        var descriptor: LockDescriptor?
        var kept: Set<Int64> = []
    }

    private let path: String
    private let state = Mutex(State())

    init(path: String) {
        self.path = path
    }

    /// Locks a byte; false if another process has locked it.
    ///
    /// Throws if the lock file was removed, replaced or moved. A process that starts later would lock another file, so two processes could
    /// hold the same lock.
    func tryLock(_ byte: Int64) throws(IdentityError) -> Bool {
        try state.withLock { state throws(IdentityError) in
            let descriptor = if let open = state.descriptor { open } else { try LockDescriptor(path: path) }
            state.descriptor = descriptor
            guard try descriptor.tryLock(byte) else { return false }
            guard descriptor.isFile(at: path) else {
                descriptor.unlock(byte)
                throw IdentityError(
                    .configuration,
                    .storeFailed,
                    "The store's lock file \(path) was removed, replaced or moved while this process runs.",
                    hint: """
                        Stop every process that uses the store. If the store's files were moved, put them back. Then start the \
                        processes. No refresh token was sent under this lock.
                        """
                )
            }
            state.kept.remove(byte)
            return true
        }
    }

    /// Makes ``unlock(_:)`` leave the byte locked for other processes.
    ///
    /// The byte stays locked until a task of this process locks and unlocks it again, or this object is released.
    func keep(_ byte: Int64) {
        state.withLock { _ = $0.kept.insert(byte) }
    }

    func unlock(_ byte: Int64) {
        state.withLock { state in
            if !state.kept.contains(byte) { state.descriptor?.unlock(byte) }
        }
    }
}
