#if PostgreSQL
internal import CIdentityPostgres
internal import IdentityPlatform
internal import Synchronization

/// Asks the server to stop a statement whose caller no longer waits.
///
/// This only saves work on the server: the connection is closed in any case. libpq's function for it blocks, so each call has its own
/// thread; at most four run at once.
enum StatementCanceller {
    private static let running = Mutex(0)
    private static let limit = 4

    /// `@unchecked Sendable`: created here, handed to one thread and freed there.
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
        let hasStarted =
            isAllowed
            && DedicatedThread.start {
                var text = [CChar](repeating: 0, count: 256)
                unsafe PQcancel(handle.pointer, &text, Int32(text.count))
                unsafe PQfreeCancel(handle.pointer)
                running.withLock { $0 -= 1 }
            }
        guard !hasStarted else { return }
        unsafe PQfreeCancel(pointer)
        if isAllowed { running.withLock { $0 -= 1 } }
    }
}
#endif
