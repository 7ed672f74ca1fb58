internal import IdentityKit

/// The lock that a process holds during each write transaction.
///
/// Other processes get this lock even if one process writes all the time. With SQLite's own locks, such a process could make another
/// process wait forever.
final class WriterLock {
    private let descriptor: LockDescriptor
    private var isNext = false

    init(_ descriptor: LockDescriptor) {
        self.descriptor = descriptor
    }

    /// Tries to take the lock; false if it is held, or if another process is the next holder.
    ///
    /// If the lock is held and no process is the next holder, this process becomes the next holder. It stays the next holder until a later
    /// call takes the lock, or until ``leaveQueue()``.
    func tryAcquire() throws(IdentityError) -> Bool {
        if !isNext {
            guard try descriptor.tryLock(LockDescriptor.Byte.turnstile) else { return false }
            isNext = true
        }
        guard try descriptor.tryLock(LockDescriptor.Byte.writer) else { return false }
        leaveQueue()
        return true
    }

    /// Stops waiting, so that another process can be the next holder.
    func leaveQueue() {
        guard isNext else { return }
        isNext = false
        descriptor.unlock(LockDescriptor.Byte.turnstile)
    }

    func release() {
        descriptor.unlock(LockDescriptor.Byte.writer)
    }
}
