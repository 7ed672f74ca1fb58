#if PostgreSQL
internal import CIdentityPostgres

/// A new connection that the thread of a ``Connector`` hands over to the connection loop.
///
/// `@unchecked Sendable`: the connector's thread does not use it after that. libpq allows any thread to use a connection, one at a time.
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
