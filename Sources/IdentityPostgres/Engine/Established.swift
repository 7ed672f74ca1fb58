internal import CIdentityPostgres

/// A connection that is ready for use, on its way from the thread that made it to the one that uses it.
///
/// `@unchecked Sendable`: whoever makes it gives it away and touches it no more; libpq's connections are bound to no thread.
@safe
struct Established: @unchecked Sendable {
    let pointer: OpaquePointer
    /// Whether the server takes no writes.
    let isReadOnly: Bool

    /// Closes a connection that nobody wants any more.
    func discard() {
        unsafe PQfinish(pointer)
    }
}
