#if PostgreSQL
internal import IdentityKit
internal import IdentityStoreKit

extension PostgresFailure {
    var identityError: IdentityError {
        switch reason {
        case .readOnly: .storeReadOnly(cause: self)
        case .server(let state): identityError(ofServer: state)
        case .poolExhausted:
            failed(
                .retryLater,
                .storeBusy,
                "No connection to the store's database became free within the time limit.",
                """
                Check the load of the database server and of this process. If the load is low, increase maximumConnections of \
                PostgresStore.Configuration. A higher value does not help calls that wait for an advisory lock, because these calls \
                share one direct connection.
                """
            )
        case .untrusted:
            misconfigured(
                "The TLS connection to the database server failed, or the server's identity could not be verified.",
                """
                Check that the database server offers TLS. Check the server's certificate and host name, the root certificate \
                (`sslrootcert`), and the client certificate if you use one.
                """
            )
        case .passwordMissing:
            misconfigured(
                "The database server requires a password, but the connection string contains none.",
                "Add the password to the connection string (store.postgres), and to that of the direct connection (store.direct) if set."
            )
        case .notDurable:
            misconfigured(
                "Commits of the database are not durable (synchronous_commit is off).",
                "Run ALTER ROLE … SET synchronous_commit = on for the store's database user. The store cannot set it through a pooler."
            )
        case .tooOld:
            misconfigured(
                "The database server is older than PostgreSQL 12.",
                "Update the database server to PostgreSQL 12 or newer."
            )
        case .closed: .storeClosed
        case .client:
            failed(
                .retryLater,
                .systemFailure,
                "This process could not use the PostgreSQL client library (libpq).",
                "Check that the process has enough memory, and does not reach its limits of threads and open files."
            )
        case .unreachable, .lost, .timedOut, .outcomeUnknown, .behind: .storeUnavailable(cause: self)
        }
    }

    private func identityError(ofServer state: String) -> IdentityError {
        switch state {
        case "25006": .storeReadOnly(cause: self)
        case "25P03", "25P04": .storeUnavailable(cause: self)
        case "53100":
            failed(
                .retryLater,
                .storeFull,
                "The disk of the database server is full.",
                "Free space on the disk of the database server."
            )
        case "57014": busy("The database server cancelled the statement, for example at a time limit.")
        case "40001", "40P01": busy("The transaction conflicted with another transaction.")
        case "55P03": busy("Another transaction has locked rows or tables of the store.")
        case "3D000":
            misconfigured(
                "The store's database does not exist.",
                "Create the database, or correct its name in the connection string."
            )
        case "42501":
            misconfigured(
                "The database user lacks a permission for the database, or for the store's schema or tables.",
                "Grant the database user the right to use the schema and its tables. For a new store, grant also the right to create them."
            )
        case "42P07":
            misconfigured(
                "The store's schema contains a table, index or view of another program with a name that the store needs.",
                "Set the store's schema to a schema that only IdentityKit uses."
            )
        case "42P01", "42703", "3F000":
            .storeCorrupt("A table of the store is missing or has changed.", cause: self)
        case "XX001", "XX002": .storeCorrupt("The database server reports damaged data.", cause: self)
        case _ where state.hasPrefix("28"):
            misconfigured(
                "The database server rejected the user, the password, the client certificate or the connection.",
                """
                Correct user and password in the connection string (store.postgres), and in that of the direct connection \
                (store.direct) if set. Check pg_hba.conf and the log of the database server.
                """
            )
        case _ where ["08", "53", "57"].contains(state.prefix(2)): .storeUnavailable(cause: self)
        case _ where ["22", "23"].contains(state.prefix(2)):
            failed(
                .rejected,
                .storeFailed,
                "The database rejected a value: \(self).",
                "Read the database server's log. Check that nobody has changed the store's schema by hand."
            )
        default:
            failed(.retryLater, .storeFailed, "The store failed: \(self).", "Read the database server's log.")
        }
    }

    private func busy(_ message: String) -> IdentityError {
        failed(
            .retryLater,
            .storeBusy,
            message,
            "Try again. If the error persists, look for a transaction that stays open, and check the load of the database server."
        )
    }

    private func misconfigured(_ message: String, _ hint: String) -> IdentityError {
        failed(.configuration, .configurationInvalid, message, hint)
    }

    private func failed(
        _ kind: IdentityError.Kind,
        _ code: IdentityError.Code,
        _ message: String,
        _ hint: String
    ) -> IdentityError {
        IdentityError(kind, code, message, hint: hint, cause: self)
    }
}

extension IdentityError {
    static func storeUnavailable(cause: PostgresFailure) -> IdentityError {
        IdentityError(
            .retryLater,
            .storeUnavailable,
            "A call to the store's database failed: \(cause).",
            hint: "Try again. If the error persists, check the database server and the network.",
            cause: cause
        )
    }

    static func storeReadOnly(cause: PostgresFailure) -> IdentityError {
        IdentityError(
            .retryLater,
            .storeReadOnly,
            "The store's database accepts no writes: it is a standby, or it is set to read-only.",
            hint: """
                Try again: a failover may be in progress. Name every server in the connection string (store.postgres), and in that of the \
                direct connection (store.direct) if set, so that the new primary is found. If default_transaction_read_only is on for the \
                server, the database or the database user, turn it off.
                """,
            cause: cause
        )
    }

    static func storeCorrupt(_ message: String, cause: (any Error)? = nil) -> IdentityError {
        IdentityError(
            storeCorrupt: "\(message) The database was not changed.",
            hint: """
                Read the database server's log. Then restore the store's tables from a backup, and call markAllAsRestored() once \
                before the store is used. To start with an empty store instead, configure an empty schema, set createsStore to true \
                for the first start, and move the directory spoolDirectory away if it is set. All buyers then have to sign in again.
                """,
            cause: cause
        )
    }
}
#endif
