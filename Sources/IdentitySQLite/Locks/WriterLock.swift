internal import IdentityKit

/// The lock around every transaction that writes, shared by all processes that have the file open.
///
/// Processes that wait for it take turns. With SQLite's own locks and its busy handler, one process could wait for ever.
final class WriterLock {
    private let descriptor: LockDescriptor
    private var isNext = false

    init(_ descriptor: LockDescriptor) {
        self.descriptor = descriptor
    }

    /// Takes the lock if it is free and no other process waits for it, and returns whether it did.
    ///
    /// If another process holds the lock, this process becomes the next holder, until ``leaveQueue()``. Only one process can be the next
    /// holder.
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
