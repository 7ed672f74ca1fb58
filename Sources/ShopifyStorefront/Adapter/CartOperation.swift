internal import FoundationEssentials
internal import IdentityKit
internal import Synchronization

/// The locks that an operation holds.
///
/// They are passed on from call to call, and never by a task-local value: a task inherits those, and what an operation starts
/// and does not wait for, such as a renewal, must not count as the holder of its locks.
struct CartLocks: Sendable {
    private(set) var sessions: Set<SessionID> = []
    private(set) var carts: Set<CartID> = []

    func adding(_ session: SessionID) -> CartLocks {
        var locks = self
        locks.sessions.insert(session)
        return locks
    }

    func adding(_ cart: CartID?) -> CartLocks {
        guard let cart else { return self }
        var locks = self
        locks.carts.insert(cart)
        return locks
    }
}

/// One operation on a session's cart: the locks that it holds, and the stored row that it writes over.
final class CartOperation: Sendable {
    private struct State {
        var payload: Secret?
        var revision: Int64?
        var hasAnnounced = false
        var hasSentIdentity = false
    }

    /// The session whose cart it is.
    let session: SessionID
    let locks: CartLocks
    private let state: Mutex<State>

    init(_ session: SessionID, _ row: CartRow, under locks: CartLocks) {
        self.session = session
        self.locks = locks
        state = Mutex(State(payload: row.payload, revision: row.revision))
    }

    /// The row as it was last read or written.
    var payload: Secret? { state.withLock { $0.payload } }
    /// The revision over which the next write goes.
    var revision: Int64? { state.withLock { $0.revision } }
    /// Whether personal data may have been sent since the row was read.
    var hasAnnounced: Bool { state.withLock { $0.hasAnnounced } }
    /// Whether the buyer's identity may be among them.
    var hasSentIdentity: Bool { state.withLock { $0.hasSentIdentity } }

    /// Notes the row that announces personal data.
    func announced(_ attachment: SessionAttachment, sendsIdentity: Bool) {
        state.withLock { state in
            state.payload = attachment.payload
            state.revision = attachment.revision
            state.hasAnnounced = true
            state.hasSentIdentity = state.hasSentIdentity || sendsIdentity
        }
    }
}

/// Another process changed the row before anything was sent: the operation is done again over what that process wrote.
struct CartRowLost: Error {}
