#if PostgreSQL
internal import CIdentityPostgres

/// A new connection that its thread hands over to the connection loop.
///
/// `@unchecked Sendable`: the thread that opens it does not use it afterwards, and libpq's connections are bound to no thread.
@safe
struct OpenedConnection: @unchecked Sendable {
    let pointer: OpaquePointer
    /// Whether the server accepts no writes.
    let isReadOnly: Bool

    /// Closes a connection that is not needed.
    func discard() {
        unsafe PQfinish(pointer)
    }
}
#endif
