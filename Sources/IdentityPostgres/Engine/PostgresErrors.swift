internal import IdentityKit

extension PostgresFailure {
    /// The failure in the words of the SDK.
    var identityError: IdentityError {
        switch reason {
        case .readOnly: .storeReadOnly(cause: self)
        case .server(let state): identityError(ofServer: state)
        case .crowded:
            IdentityError(
                .retryLater,
                .storeBusy,
                "No connection to the store's database became free in time.",
                hint: "Allow for more connections (`maximumConnections`), or look for what holds them.",
                cause: self
            )
        case .untrusted:
            misconfigured(
                "The database server could not prove who it is (TLS).",
                "Check its certificate, its host name and the root certificate (`sslrootcert`)."
            )
        case .passwordMissing:
            misconfigured("The database server asks for a password.", "Put it into the connection string.")
        case .notDurable:
            misconfigured(
                "The database does not wait for commits to be durable (synchronous_commit is off).",
                "Behind a pooler it has to be changed in the database: ALTER ROLE … SET synchronous_commit = on."
            )
        case .tooOld:
            misconfigured("The database server is older than PostgreSQL 12.", "Update it.")
        case .closed: .storeClosed
        case .client:
            IdentityError(
                .retryLater,
                .systemFailure,
                "libpq failed.",
                hint: "Check the process's memory.",
                cause: self
            )
        case .unreachable, .lost, .timedOut, .behind: .storeUnavailable(cause: self)
        }
    }

    private func identityError(ofServer state: String) -> IdentityError {
        switch state {
        case "25006": return .storeReadOnly(cause: self)
        case "25P03": return .storeUnavailable(cause: self)
        case "53100":
            return IdentityError(
                .retryLater,
                .storeFull,
                "The database server has no room to write.",
                hint: "Make room on its disk.",
                cause: self
            )
        case "57014", "55P03", "40001", "40P01":
            return IdentityError(
                .retryLater,
                .storeBusy,
                "The store's rows are locked by somebody else.",
                hint: "Try again; look for a transaction that stays open.",
                cause: self
            )
        case "3D000": return misconfigured("The store's database does not exist.", "Make it, or correct its name.")
        case "42501":
            return misconfigured(
                "The database user may not use the store's schema or tables.",
                "Grant it the right to create and use them."
            )
        case "42P01", "42703", "3F000":
            return .storeCorrupt("A table of the store is missing or has changed.", cause: self)
        case "XX001", "XX002": return .storeCorrupt("The database server reports damaged data.", cause: self)
        default: break
        }
        switch state.prefix(2) {
        case "28": return misconfigured("The database server refuses the user or the password.", "Correct them.")
        case "08", "53", "57": return .storeUnavailable(cause: self)
        case "22", "23":
            return IdentityError(
                .rejected,
                .storeFailed,
                "A value cannot be stored.",
                hint: "See the cause.",
                cause: self
            )
        default:
            return IdentityError(
                .retryLater,
                .storeFailed,
                "The store failed: \(self).",
                hint: "Look into the database server's log.",
                cause: self
            )
        }
    }

    private func misconfigured(_ message: String, _ hint: String) -> IdentityError {
        IdentityError(.configuration, .configurationInvalid, message, hint: hint, cause: self)
    }
}

extension IdentityError {
    static func storeUnavailable(cause: PostgresFailure) -> IdentityError {
        IdentityError(
            .retryLater,
            .storeUnavailable,
            "The store's database cannot be used now: \(cause).",
            hint: "Try again; if it goes on, check the database server and the network.",
            cause: cause
        )
    }

    static func storeReadOnly(cause: PostgresFailure) -> IdentityError {
        IdentityError(
            .retryLater,
            .storeReadOnly,
            "The store's database takes no writes now: it is a standby, or it was set to read only.",
            hint:
                "Try again after the failover; name every server in the connection string, so that the new one is found.",
            cause: cause
        )
    }

    static func storeCorrupt(_ message: String, cause: (any Error)? = nil) -> IdentityError {
        IdentityError(
            .configuration,
            .storeCorrupt,
            "\(message) Nothing was deleted, the database was left as it is.",
            hint: "Run the store's health check; restore from a backup what is damaged.",
            cause: cause
        )
    }

    static var storeClosed: IdentityError {
        IdentityError(.retryLater, .storeFailed, "The store is closed.", hint: "Open it again.")
    }

    static var cancelledWhileWaiting: IdentityError {
        IdentityError(.cancelled, .cancelled, "The operation was cancelled.")
    }
}
