#if PostgreSQL
internal import IdentityKit

/// Why a statement or an attempt to connect failed.
///
/// A failure never contains SQL, a value, or a message of the server or of libpq, because a message may repeat SQL or values.
struct PostgresFailure: Error, Sendable, Equatable, CustomStringConvertible {
    enum Reason: Sendable, Equatable {
        /// The server's error code: five characters, see appendix A of PostgreSQL's manual.
        case server(String)
        case unreachable
        case lost
        /// The deadline passed before the server responded, or before an attempt to connect ended.
        case timedOut
        /// The response to a change was lost, and the database does not show whether this call or another caller changed the row.
        case outcomeUnknown
        case poolExhausted
        /// The servers that can be reached accept no writes.
        case readOnly
        /// A server that accepts no writes does not have the row, and no server that accepts writes was found.
        ///
        /// The row may exist, because a server that accepts no writes may lack the latest changes.
        case behind
        case untrusted
        case passwordMissing
        /// `synchronous_commit` is off, and the store cannot set it through a pooler.
        case notDurable
        case tooOld
        case closed
        /// libpq failed in this process, or the process could not create a thread or a pipe.
        case client
    }

    let reason: Reason
    /// Whether a statement was sent that may have taken effect, or may still take effect.
    var mayHaveTakenEffect = false

    init(_ reason: Reason, mayHaveTakenEffect: Bool = false) {
        self.reason = reason
        self.mayHaveTakenEffect = mayHaveTakenEffect
    }

    var description: String {
        switch reason {
        case .server(let state): "PostgreSQL error \(state)"
        case .unreachable: "no PostgreSQL server can be reached"
        case .lost: "the connection to PostgreSQL was lost"
        case .timedOut: "PostgreSQL did not respond in time"
        case .outcomeUnknown: "a response of PostgreSQL was lost, and it is unknown whether the change took effect"
        case .poolExhausted: "no connection to PostgreSQL became free in time"
        case .readOnly: "PostgreSQL accepts no writes"
        case .behind: "the row was not found on a read-only server, which may lack the latest changes"
        case .untrusted: "the TLS connection to PostgreSQL failed, or the server's identity could not be verified"
        case .passwordMissing: "PostgreSQL requires a password"
        case .notDurable: "synchronous_commit is off"
        case .tooOld: "the PostgreSQL server is too old"
        case .closed: "the store is closed"
        case .client: "libpq or a system call failed in this process"
        }
    }

    /// Whether an operator has to act: trying again does not help.
    var isConfiguration: Bool {
        switch reason {
        case .untrusted, .passwordMissing, .notDurable, .tooOld: true
        // Invalid authorization, unknown database, insufficient privilege.
        case .server(let state): state.hasPrefix("28") || state == "3D000" || state == "42501"
        default: false
        }
    }

    /// Whether the same call may succeed on another connection, or a moment later.
    var isTransient: Bool {
        switch reason {
        case .lost, .unreachable: true
        case .server(let state):
            // Connection failures and serialization failures; a server that ends connections or starts; prepared statements that a pooler
            // or a migration removed; a server that accepts no writes (25006) or no more connections (53300).
            state.hasPrefix("08") || state.hasPrefix("40")
                || ["25P03", "25P04", "57P01", "57P02", "57P03", "57P05"].contains(state)
                || ["26000", "42P05", "0A000", "25006", "53300"].contains(state)
        default: false
        }
    }

    var isReadOnly: Bool { reason == .readOnly || reason == .server("25006") }
}
#endif
