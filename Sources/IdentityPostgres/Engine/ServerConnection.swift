#if PostgreSQL
internal import CIdentityPostgres
internal import IdentityPlatform

/// One connection to the server; only the thread of ``ConnectionLoop`` uses it.
@safe
final class ServerConnection {
    private enum Phase {
        case preparing, executing
    }

    let serial: Int
    private let pointer: OpaquePointer
    private let wasReadOnly: Bool
    private var prepared: Set<String> = []
    private var usesPreparation: Bool
    private var phase = Phase.executing
    private var outcome: Result<Rows, PostgresFailure>?
    private var wantsWriting = false
    /// Whether the server accepted no writes when the statement was sent.
    private var beganReadOnly = false

    private(set) var call: StatementCall?
    /// Whether a transaction is using this connection.
    var isBorrowed = false
    private(set) var isBroken = false
    /// Whether the server has refused a write, because it is read-only.
    private var isOutdated = false
    var idleSince = ContinuousClock.now

    init(_ established: OpenedConnection, serial: Int, usesPreparation: Bool) {
        unsafe pointer = established.pointer
        wasReadOnly = established.isReadOnly
        self.serial = serial
        self.usesPreparation = usesPreparation
    }

    deinit {
        unsafe PQfinish(pointer)
    }

    var socket: Int32 { unsafe PQsocket(pointer) }
    var events: Int16 { Int16(wantsWriting ? POLLIN | POLLOUT : POLLIN) }

    /// Whether the server accepts no writes, by its last report.
    ///
    /// Servers before version 14 and some poolers report nothing. For them, the result is the state at the time of connecting.
    var isReadOnly: Bool {
        guard let standby = parameter("in_hot_standby"), let readOnly = parameter("default_transaction_read_only")
        else {
            return wasReadOnly
        }
        return standby == "on" || readOnly == "on"
    }

    /// Whether the connection can be used for the next call: it works, no statement or transaction is open, and no write was refused.
    var isClean: Bool {
        unsafe !isBroken && !isOutdated && call == nil && PQtransactionStatus(pointer) == PQTRANS_IDLE
    }

    private func parameter(_ name: String) -> String? {
        unsafe PQparameterStatus(pointer, name).map { unsafe String(cString: $0) }
    }

    /// Starts a statement; ``advance()`` returns its result.
    func start(_ call: StatementCall) {
        self.call = call
        outcome = nil
        beganReadOnly = isReadOnly
        if usesPreparation, let name = call.statement.name, !prepared.contains(name) {
            phase = .preparing
            let types = call.statement.types.map { Oid($0.rawValue) }
            send { unsafe PQsendPrepare(pointer, name, call.statement.sql, Int32(types.count), types) }
        } else {
            execute(call)
        }
    }

    private func execute(_ call: StatementCall) {
        phase = .executing
        outcome = nil
        let encoded = EncodedValues(call.values)
        let lengths = encoded.ranges.map { Int32(clamping: $0?.count ?? 0) }
        let formats = [Int32](repeating: 1, count: lengths.count)
        let count = Int32(lengths.count)
        unsafe encoded.bytes.withUnsafeBytes { bytes in
            let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            let values = unsafe encoded.ranges.map { range in
                unsafe range.flatMap { range in unsafe base.map { unsafe $0 + range.lowerBound } }
            }
            if usesPreparation, let name = call.statement.name {
                send { unsafe PQsendQueryPrepared(pointer, name, count, values, lengths, formats, 1) }
            } else {
                let types = call.statement.types.map { Oid($0.rawValue) }
                send {
                    unsafe PQsendQueryParams(pointer, call.statement.sql, count, types, values, lengths, formats, 1)
                }
            }
        }
    }

    private func send(_ body: () -> Int32) {
        guard body() == 1 else {
            isBroken = true
            outcome = .failure(PostgresFailure(.lost, mayHaveTakenEffect: true))
            return
        }
        flush()
    }

    private func flush() {
        switch unsafe PQflush(pointer) {
        case 0: wantsWriting = false
        case 1: wantsWriting = true
        default: isBroken = true
        }
    }

    /// Reads what the server has sent, and returns the result of the running statement; nil while the result is not complete.
    ///
    /// On an idle connection, this method reads notifications, and notices that the server has closed the connection.
    func advance() -> StatementCall.Outcome? {
        if wantsWriting { flush() }
        if unsafe PQconsumeInput(pointer) == 0 { isBroken = true }
        while call != nil {
            // After the connection is lost, libpq still returns the results that it received before.
            if unsafe PQisBusy(pointer) == 1 { return isBroken ? end(.failure(lost())) : nil }
            guard let result = unsafe PQgetResult(pointer) else {
                if let answer = phaseEnded() { return answer }
                continue
            }
            unsafe take(result)
        }
        return nil
    }

    private func take(_ result: OpaquePointer) {
        switch unsafe PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
            if outcome == nil { outcome = .success(unsafe Rows(adopting: result)) } else { unsafe PQclear(result) }
        default:
            let failure = unsafe ConnectionPlan.failure(of: result)
            outcome = .failure(failure)
            if failure.isReadOnly { isOutdated = true }
            // The field 'V' is the untranslated severity. If the severity is not ERROR, the server ends the connection, but may already
            // have committed the statement.
            let severity = unsafe PQresultErrorField(result, Int32(UInt8(ascii: "V")))
            if let severity = unsafe severity, unsafe strcmp(severity, "ERROR") != 0 { isBroken = true }
            unsafe PQclear(result)
        }
        if unsafe PQstatus(pointer) == CONNECTION_BAD { isBroken = true }
    }

    /// Continues after the server has prepared or executed the statement; returns nil while the statement still runs.
    private func phaseEnded() -> StatementCall.Outcome? {
        guard let call else { return nil }
        if isBroken { return end(.failure(lost())) }
        switch (phase, outcome) {
        case (.preparing, .success):
            if let name = call.statement.name { prepared.insert(name) }
            execute(call)
        case (_, .failure(let failure)) where usesPreparation && isAboutPreparation(failure):
            // A pooler or a schema change has made the prepared statement unusable. From now on, this connection prepares no statement.
            usesPreparation = false
            // In a transaction, the server refuses further statements until the rollback. So this statement fails, and the caller repeats
            // the transaction.
            guard unsafe PQtransactionStatus(pointer) == PQTRANS_IDLE else { return end(.failure(failure)) }
            // The prepared statement had no effect, so the call runs again with an unprepared statement.
            execute(call)
        case (_, .failure(let failure)): return end(.failure(failure))
        case (_, .success(let rows)):
            return end(.success(Reply(rows: rows, link: serial, mayBeBehind: beganReadOnly || isReadOnly)))
        case (_, nil): isBroken = true
        }
        return isBroken ? end(.failure(lost())) : nil
    }

    private func isAboutPreparation(_ failure: PostgresFailure) -> Bool {
        ["26000", "42P05", "0A000"].contains { failure.reason == .server($0) }
    }

    private func lost() -> PostgresFailure {
        // The server's last error says why the connection ended, for example that the server shuts down.
        if case .failure(let failure) = outcome { return PostgresFailure(failure.reason, mayHaveTakenEffect: true) }
        return PostgresFailure(.lost, mayHaveTakenEffect: true)
    }

    private func end(_ answer: StatementCall.Outcome) -> StatementCall.Outcome {
        call = nil
        outcome = nil
        return answer
    }

    /// Takes the received notifications from libpq, and returns their payloads.
    func notifications() -> [String] {
        var payloads: [String] = []
        while let notification = unsafe PQnotifies(pointer) {
            if let text = unsafe notification.pointee.extra { unsafe payloads.append(String(cString: text)) }
            unsafe PQfreemem(notification)
        }
        return payloads
    }

    /// Gives up the connection: asks the server to cancel the running statement, and returns its call; nil if no statement runs.
    func abandon() -> StatementCall? {
        isBroken = true
        guard call != nil else { return nil }
        unsafe StatementCanceller.cancel(pointer)
        defer { call = nil }
        return call
    }
}
#endif
