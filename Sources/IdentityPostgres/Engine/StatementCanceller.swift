#if PostgreSQL
internal import CIdentityPostgres
internal import IdentityPlatform
internal import Synchronization

/// Asks the server to stop a statement whose caller no longer waits.
///
/// The cancellation only saves work on the server: the connection is closed in any case. `PQcancel` blocks, so each call has its own
/// thread. While four of these threads run, further statements are not cancelled.
enum StatementCanceller {
    private static let running = Mutex(0)
    private static let limit = 4

    /// `@unchecked Sendable`: only one thread uses and frees the pointer.
    @safe
    private struct Handle: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    static func cancel(_ connection: OpaquePointer) {
        guard let pointer = unsafe PQgetCancel(connection) else { return }
        let handle = unsafe Handle(pointer: pointer)
        let isAllowed = running.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
        guard isAllowed else { return unsafe PQfreeCancel(pointer) }
        let hasStarted = DedicatedThread.start {
            var text = [CChar](repeating: 0, count: 256)
            unsafe PQcancel(handle.pointer, &text, Int32(text.count))
            end(handle)
        }
        if !hasStarted { end(handle) }
    }

    private static func end(_ handle: Handle) {
        unsafe PQfreeCancel(handle.pointer)
        running.withLock { $0 -= 1 }
    }
}
#endif
