#if PostgreSQL
internal import CIdentityPostgres
internal import IdentityKit
internal import IdentityPlatform

extension ConnectionPlan {
    /// Connects to the first server that accepts writes or else, unless ``isStrict`` is true, to the first readable server.
    func connect() -> Result<OpenedConnection, PostgresFailure> {
        var readable: OpenedConnection?
        var worst = PostgresFailure(.unreachable)
        for host in hosts {
            do {
                let found = try connect(to: host)
                guard found.isReadOnly else {
                    readable?.discard()
                    return .success(found)
                }
                if isStrict || readable != nil {
                    found.discard()
                    if !worst.isConfiguration { worst = PostgresFailure(.readOnly) }
                } else {
                    readable = found
                }
            } catch {
                if error.isConfiguration || (!worst.isConfiguration && !worst.isReadOnly) { worst = error }
            }
        }
        return readable.map { .success($0) } ?? .failure(worst)
    }

    private func connect(to host: [String: Secret]) throws(PostgresFailure) -> OpenedConnection {
        guard let connection = unsafe Self.begin(host) else { throw PostgresFailure(.client) }
        // The look-up of the host name has ended. Its time does not count, because libpq cannot interrupt it.
        let deadline = ContinuousClock.now + hostLimit
        do {
            try unsafe finishConnecting(connection, deadline)
            unsafe identity_postgres_silence(connection)
            return try unsafe prepare(connection, deadline)
        } catch {
            unsafe PQfinish(connection)
            throw error
        }
    }

    private static func begin(_ host: [String: Secret]) -> OpaquePointer? {
        var names: [UnsafePointer<CChar>?] = unsafe []
        var values: [UnsafePointer<CChar>?] = unsafe []
        var copies: [(start: UnsafeMutablePointer<CChar>, count: Int)] = unsafe []
        defer {
            for unsafe(start, count) in unsafe copies {
                unsafe explicit_bzero(start, count)
                unsafe free(start)
            }
        }
        for (name, value) in host {
            guard let name = unsafe strdup(name) else { return nil }
            unsafe copies.append((name, strlen(name)))
            guard let value = unsafe strdup(value.reveal()) else { return nil }
            unsafe copies.append((value, strlen(value)))
            unsafe names.append(UnsafePointer(name))
            unsafe values.append(UnsafePointer(value))
        }
        unsafe names.append(nil)
        unsafe values.append(nil)
        guard let connection = unsafe PQconnectStartParams(names, values, 0) else { return nil }
        // The server's messages may contain secrets. With this setting, libpq's error text contains only their severity and SQLSTATE.
        unsafe PQsetErrorVerbosity(connection, PQERRORS_SQLSTATE)
        return unsafe connection
    }

    private func finishConnecting(
        _ connection: OpaquePointer,
        _ deadline: ContinuousClock.Instant
    ) throws(PostgresFailure) {
        var wanted = PGRES_POLLING_WRITING
        while unsafe PQstatus(connection) != CONNECTION_BAD {
            if wanted == PGRES_POLLING_OK { return }
            guard wanted != PGRES_POLLING_FAILED else { break }
            let events = wanted == PGRES_POLLING_READING ? POLLIN : POLLOUT
            guard Self.wait(for: events, on: unsafe PQsocket(connection), until: deadline) else {
                throw PostgresFailure(.unreachable)
            }
            wanted = unsafe PQconnectPoll(connection)
        }
        throw unsafe Self.refusal(of: connection)
    }

    /// The reason why libpq could not connect, without the error text of libpq, which may contain secrets.
    private static func refusal(of connection: OpaquePointer) -> PostgresFailure {
        if unsafe PQconnectionNeedsPassword(connection) == 1 { return PostgresFailure(.passwordMissing) }
        return PostgresFailure(reason(in: unsafe PQerrorMessage(connection).map { unsafe String(cString: $0) } ?? ""))
    }

    /// The reason in an error text of libpq: the server's last error code, or else a TLS problem or an unreachable server.
    static func reason(in text: String) -> PostgresFailure.Reason {
        let lines = text.split(separator: "\n")
        for line in lines.reversed() {
            let word = line.split(separator: " ").last ?? ""
            if line.contains(":  "), word.utf8.count == 5,
                word.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) })
            {
                return .server(String(word))
            }
        }
        // A connection that ends during the TLS handshake, for example because the server restarts, does not show that TLS is
        // misconfigured.
        let ends = ["SSL SYSCALL error", "unexpected eof", "closed unexpectedly"]
        for line in lines where !ends.contains(where: { line.contains($0) }) {
            if ["SSL", "certificate", "sslrootcert"].contains(where: { line.contains($0) }) { return .untrusted }
        }
        return .unreachable
    }

    private func prepare(
        _ connection: OpaquePointer,
        _ deadline: ContinuousClock.Instant
    ) throws(PostgresFailure) -> OpenedConnection {
        guard unsafe PQserverVersion(connection) >= 120_000 else { throw PostgresFailure(.tooOld) }
        guard unsafe PQsetnonblocking(connection, 1) == 0 else { throw PostgresFailure(.client) }
        let found = try unsafe ask(
            connection,
            "SELECT current_setting('transaction_read_only'), current_setting('synchronous_commit')",
            deadline
        )
        guard found.count == 2 else { throw PostgresFailure(.client) }
        if found[1] == "off" {
            guard preparations != nil else { throw PostgresFailure(.notDurable) }
            _ = try unsafe ask(connection, "SET synchronous_commit = on", deadline)
        }
        if let preparations { _ = try unsafe ask(connection, preparations, deadline) }
        return unsafe OpenedConnection(pointer: connection, isReadOnly: found[0] == "on")
    }

    /// Runs SQL without parameters and returns the first row as text; empty if the result has no row.
    private func ask(
        _ connection: OpaquePointer,
        _ sql: String,
        _ deadline: ContinuousClock.Instant
    ) throws(PostgresFailure) -> [String] {
        guard unsafe PQsendQuery(connection, sql) == 1 else { throw PostgresFailure(.lost) }
        var answer: [String] = []
        while true {
            let isSending = unsafe PQflush(connection) == 1
            while unsafe PQisBusy(connection) == 0 {
                guard let result = unsafe PQgetResult(connection) else { return answer }
                defer { unsafe PQclear(result) }
                switch unsafe PQresultStatus(result) {
                case PGRES_TUPLES_OK:
                    if unsafe PQntuples(result) > 0 {
                        answer = unsafe (0..<PQnfields(result)).map { column in
                            unsafe String(cString: PQgetvalue(result, 0, column))
                        }
                    }
                case PGRES_COMMAND_OK: break
                default: throw unsafe Self.failure(of: result)
                }
            }
            let events = isSending ? POLLIN | POLLOUT : POLLIN
            guard Self.wait(for: events, on: unsafe PQsocket(connection), until: deadline) else {
                throw PostgresFailure(.unreachable)
            }
            guard unsafe PQconsumeInput(connection) == 1 else { throw PostgresFailure(.lost) }
        }
    }

    /// The failure that an error result of libpq describes: the server's error code, or a lost connection if there is no code.
    static func failure(of result: OpaquePointer) -> PostgresFailure {
        let state = unsafe PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { unsafe String(cString: $0) }
        return state.map { PostgresFailure(.server($0)) } ?? PostgresFailure(.lost)
    }

    private static func wait(for events: Int32, on socket: Int32, until deadline: ContinuousClock.Instant) -> Bool {
        guard socket >= 0 else { return false }
        var entry = pollfd(fd: socket, events: Int16(events), revents: 0)
        while true {
            let left = max(0, Int((deadline - .now) / .milliseconds(1)) + 1)
            guard deadline > .now else { return false }
            let found = unsafe poll(&entry, 1, Int32(clamping: left))
            if found > 0 { return true }
            if found < 0, errno != EINTR { return false }
        }
    }
}

/// A new connection that a connecting thread hands over to the connection loop.
///
/// `@unchecked Sendable`: after it has handed over the connection, the connecting thread does not use it any more. libpq allows any thread
/// to use a connection, but only one thread at a time.
@safe
struct OpenedConnection: @unchecked Sendable {
    let pointer: OpaquePointer
    let isReadOnly: Bool

    func discard() {
        unsafe PQfinish(pointer)
    }
}
#endif
