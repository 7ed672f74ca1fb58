#if PostgreSQL
internal import Synchronization

struct PoolSettings: Sendable {
    let plan: ConnectionPlan
    /// How the direct connection to the server is opened; nil if all connections go through a pooler.
    let directPlan: ConnectionPlan?
    /// Whether the direct connection listens for notifications.
    let listens: Bool
    let preparesStatements: Bool
    let maximumConnections: Int
    let idleLimit: Duration
    let directState = DirectState()
}

/// Contains the serial number of the open direct connection, so that holders of advisory locks notice when their connection ends.
final class DirectState: Sendable {
    private let serial = Mutex<Int?>(nil)

    func isAlive(_ link: Int) -> Bool { serial.withLock { $0 == link } }

    func began(_ link: Int) { serial.withLock { $0 = link } }

    func ended(_ link: Int) {
        serial.withLock { if $0 == link { $0 = nil } }
    }
}
#endif
