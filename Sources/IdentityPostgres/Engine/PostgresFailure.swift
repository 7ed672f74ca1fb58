internal import IdentityKit

/// What went wrong instead of an answer; never holds SQL, a value, or a text of the server or of libpq, which may repeat them.
struct PostgresFailure: Error, Sendable, Equatable, CustomStringConvertible {
    enum Reason: Sendable, Equatable {
        /// The server's own error: five characters, PostgreSQL's manual, appendix A.
        case server(String)
        /// No server can be reached.
        case unreachable
        /// The connection ended.
        case lost
        /// The time was over.
        case timedOut
        /// No connection became free in time.
        case crowded
        /// The servers that can be reached take no writes.
        case readOnly
        /// A server that takes no writes does not have what was asked for, and may only lack the latest.
        case behind
        /// The server could not prove who it is, or offers no TLS.
        case untrusted
        /// The server asks for a password and there is none.
        case passwordMissing
        /// Commits would not be durable, and through a pooler that cannot be changed.
        case notDurable
        /// The server is older than what is known to work.
        case tooOld
        /// The store is closed.
        case closed
        /// libpq failed on its own.
        case client
    }

    let reason: Reason
    /// Whether a statement had been sent that may have taken effect, or may still.
    var mayHaveHappened = false

    init(_ reason: Reason, mayHaveHappened: Bool = false) {
        self.reason = reason
        self.mayHaveHappened = mayHaveHappened
    }

    var description: String {
        switch reason {
        case .server(let state): "PostgreSQL error \(state)"
        case .unreachable: "no PostgreSQL server can be reached"
        case .lost: "the connection to PostgreSQL was lost"
        case .timedOut: "PostgreSQL did not answer in time"
        case .crowded: "no connection to PostgreSQL became free in time"
        case .readOnly: "PostgreSQL takes no writes"
        case .behind: "PostgreSQL takes no writes and may lack what was asked for"
        case .untrusted: "PostgreSQL could not prove who it is"
        case .passwordMissing: "PostgreSQL asks for a password"
        case .notDurable: "synchronous_commit is off"
        case .tooOld: "the PostgreSQL server is too old"
        case .closed: "the store is closed"
        case .client: "libpq failed"
        }
    }

    /// Whether an operator has to act: trying again at once is no use.
    var isConfiguration: Bool {
        switch reason {
        case .untrusted, .passwordMissing, .notDurable, .tooOld: true
        // Authorization, catalog name, privilege.
        case .server(let state): state.hasPrefix("28") || state == "3D000" || state == "42501"
        default: false
        }
    }

    /// Whether the same call on another connection, or a moment later, may well succeed.
    var isPassing: Bool {
        switch reason {
        case .lost, .unreachable: true
        case .server(let state):
            // Connection trouble, rollbacks for concurrency, shutdowns; prepared statements that a pooler or a migration took away.
            state.hasPrefix("08") || state.hasPrefix("40")
                || ["25P03", "57P01", "57P02", "57P03", "57P05"].contains(state)
                || ["26000", "42P05", "0A000", "25006", "53300"].contains(state)
        default: false
        }
    }

    /// Whether the server we spoke to takes no writes.
    var isReadOnly: Bool { reason == .readOnly || reason == .server("25006") }
}
