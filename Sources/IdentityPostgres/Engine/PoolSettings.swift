internal import Synchronization

/// How the loop makes connections and how many.
struct PoolSettings: Sendable {
    let connector: Connector
    /// For the connection that leads straight to the server; nil where there is none.
    let directConnector: Connector?
    /// Whether the direct connection listens for notifications.
    let listens: Bool
    let preparesStatements: Bool
    let maximumConnections: Int
    /// After which time an unused connection is closed.
    let idleLimit: Duration
    let directState = DirectState()
}

/// Which direct connection lives, for those who hold a lock by it.
final class DirectState: Sendable {
    private let serial = Mutex<Int?>(nil)

    func isAlive(_ link: Int) -> Bool { serial.withLock { $0 == link } }

    func began(_ link: Int) { serial.withLock { $0 = link } }

    func ended(_ link: Int) {
        serial.withLock { if $0 == link { $0 = nil } }
    }
}
