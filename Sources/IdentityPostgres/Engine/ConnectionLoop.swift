#if PostgreSQL
internal import CIdentityPostgres
internal import IdentityPlatform

/// The thread that talks to the server: it assigns connections to waiting calls, drives libpq and watches the deadlines.
///
/// Only that thread uses the mutable members of this object.
final class ConnectionLoop {
    let mailbox: Mailbox<Command>
    private let wakeup: WakeupPipe
    let settings: PoolSettings

    private var connections: [Int: ServerConnection] = [:]
    private var idle: [ServerConnection] = []
    private var queue = WaitQueue()
    private var pool = ReconnectState()
    var nextSerial = 1

    var direct: ServerConnection?
    var directQueue = WaitQueue()
    var directState = ReconnectState()
    var lockWaits: [UInt64: LockWait] = [:]

    private var commands: [Command] = []
    private var entries: [pollfd] = []
    private var polled: [ServerConnection] = []
    var deadlines = NextDeadline()
    private var isOpen = true

    init(_ mailbox: Mailbox<Command>, _ wakeup: WakeupPipe, _ settings: PoolSettings) {
        self.mailbox = mailbox
        self.wakeup = wakeup
        self.settings = settings
    }

    func run() {
        while isOpen {
            takeCommands()
            dispatch()
            dispatchDirect()
            wait()
            advance()
            if deadlines.takeIfDue() { expire() }
        }
        shutDown()
    }

    // MARK: Commands

    private func takeCommands() {
        mailbox.take(into: &commands)
        for command in commands {
            switch command {
            case .perform(let call): take(call)
            case .endTransaction(let serial):
                guard let connection = connections[serial] else { continue }
                connection.isBorrowed = false
                settle(connection)
            case .dropDirect(let serial): if let direct, direct.serial == serial { drop(direct) }
            case .waitForLock(let wait):
                deadlines.note(wait.deadline)
                lockWaits[wait.id] = wait
            case .endWait(let id): lockWaits.removeValue(forKey: id)?.continuation.resume()
            case .connected(let result, isDirect: false): connected(result)
            case .connected(let result, isDirect: true): connectedDirectly(result)
            case .close: isOpen = false
            }
        }
        commands.removeAll(keepingCapacity: true)
    }

    private func take(_ call: StatementCall) {
        deadlines.note(call.deadline)
        switch call.target {
        case .pool, .newTransaction: queue.append(call)
        case .direct: directQueue.append(call)
        case .transaction(let serial):
            guard let connection = connections[serial], connection.isBorrowed, !connection.isBroken else {
                // The connection was lost between two statements of the transaction, so this statement was never sent.
                return call.fail(PostgresFailure(.lost))
            }
            begin(call, on: connection)
        }
    }

    // MARK: The pool

    /// Assigns idle connections to waiting calls, and opens new connections for the calls that still wait.
    private func dispatch() {
        while !queue.isEmpty, let index = idle.lastIndex(where: { !$0.isReadOnly || queue.count > queue.writers }) {
            let connection = idle[index]
            if connection.isReadOnly, hasWritableConnection {
                // A read-only server may have older data than the server that accepts writes, so the connection to it is closed.
                remove(connection)
                continue
            }
            guard let call = queue.take(readersOnly: connection.isReadOnly) else { break }
            idle.remove(at: index)
            connection.isBorrowed = call.target == .newTransaction
            begin(call, on: connection)
        }
        guard !queue.isEmpty else { return }
        // While connections are in use, the waiting calls do not fail, because one of these connections may become free.
        if let permanentFailure = pool.permanentFailure, pool.pausedUntil != nil, connections.isEmpty {
            return queue.failAll(permanentFailure)
        }
        if queue.writers > 0, pool.isKnownReadOnly, pool.connecting == 0, connections.values.allSatisfy(\.isReadOnly) {
            for call in queue.takeAll(where: \.needsWriting) { call.fail(PostgresFailure(.readOnly)) }
        }
        if let pause = pool.pausedUntil { deadlines.note(pause) }
        while pool.mayConnect, pool.connecting < queue.count, makeRoom() {
            pool.began()
            if !start(settings.plan, isDirect: false) { pool.failed(PostgresFailure(.client)) }
        }
    }

    /// Returns whether one more connection may be opened.
    ///
    /// At the maximum number of connections, this method closes an idle connection to a read-only server if a call waits for a server that
    /// accepts writes.
    private func makeRoom() -> Bool {
        if connections.count + pool.connecting < settings.maximumConnections { return true }
        guard queue.writers > 0, let connection = idle.first(where: \.isReadOnly) else { return false }
        remove(connection)
        return true
    }

    private var hasWritableConnection: Bool { connections.values.contains { !$0.isReadOnly && !$0.isBroken } }

    /// Starts to connect on a thread of its own, because libpq blocks while it looks up a host name; false if no thread could be started.
    func start(_ plan: ConnectionPlan, isDirect: Bool) -> Bool {
        DedicatedThread.start { [mailbox] in
            let result = plan.connect()
            let isTaken = mailbox.post(.connected(result, isDirect: isDirect))
            if !isTaken, case .success(let opened) = result { opened.discard() }
        }
    }

    private func connected(_ result: Result<OpenedConnection, PostgresFailure>) {
        switch result {
        case .success(let opened) where opened.isReadOnly && hasWritableConnection:
            // Another connection goes to a server that accepts writes, so this read-only server is not needed. `failed` delays the next
            // attempt to connect.
            opened.discard()
            pool.failed(PostgresFailure(.readOnly))
        case .success(let opened):
            if !opened.isReadOnly { for connection in idle where connection.isReadOnly { remove(connection) } }
            pool.succeeded(isReadOnly: opened.isReadOnly)
            let connection = ServerConnection(opened, serial: nextSerial, usesPreparation: settings.preparesStatements)
            nextSerial += 1
            connections[connection.serial] = connection
            putBack(connection)
        case .failure(let failure):
            pool.failed(failure)
            if failure.isConfiguration, connections.isEmpty { queue.failAll(failure) }
        }
    }

    private func putBack(_ connection: ServerConnection) {
        connection.idleSince = .now
        deadlines.note(connection.idleSince + settings.idleLimit)
        idle.append(connection)
    }

    func begin(_ call: StatementCall, on connection: ServerConnection) {
        deadlines.note(call.deadline)
        connection.start(call)
        // Responses are read only after the poll. But if the connection broke while the statement was sent, the call must fail at once.
        if connection.isBroken { advance(connection) }
    }

    private func remove(_ connection: ServerConnection) {
        connections[connection.serial] = nil
        idle.removeAll { $0 === connection }
    }

    /// Puts a connection back into the pool if no transaction uses it, or closes it if it cannot be used for the next call.
    private func settle(_ connection: ServerConnection) {
        if connection.isBroken || (!connection.isBorrowed && !connection.isClean) {
            remove(connection)
        } else if !connection.isBorrowed {
            putBack(connection)
        }
    }

    // MARK: Waiting

    private func wait() {
        entries.removeAll(keepingCapacity: true)
        polled.removeAll(keepingCapacity: true)
        entries.append(pollfd(fd: wakeup.readDescriptor, events: Int16(POLLIN), revents: 0))
        polled.append(contentsOf: connections.values)
        if let direct { polled.append(direct) }
        for connection in polled {
            entries.append(pollfd(fd: connection.socket, events: connection.events, revents: 0))
        }
        let found = unsafe poll(&entries, nfds_t(entries.count), isOpen ? deadlines.timeout(atMost: 60_000) : 0)
        // The events are undefined after an interrupted poll.
        if found <= 0 { for index in entries.indices { entries[index].revents = 0 } }
        if entries[0].revents != 0 { wakeup.drain() }
    }

    private func advance() {
        for (index, connection) in polled.enumerated() where entries[index + 1].revents != 0 { advance(connection) }
    }

    private func advance(_ connection: ServerConnection) {
        let call = connection.call
        if let response = connection.advance() {
            // No task ends a transaction that could not begin, so its connection is released here.
            if case .failure = response, call?.target == .newTransaction { connection.isBorrowed = false }
            call?.continuation.resume(returning: response)
        }
        if connection === direct {
            wakeLockWaits(connection.notifications())
        } else {
            _ = connection.notifications()
            if connection.isBroken {
                if !connection.isBorrowed || connection.call == nil { remove(connection) }
            } else if call != nil, connection.call == nil, !connection.isBorrowed {
                settle(connection)
            }
        }
    }

    private func expire() {
        let now = ContinuousClock.now
        for call in queue.takeAll(where: { $0.deadline <= now }) {
            call.fail(pool.failure(whileConnected: !connections.isEmpty))
        }
        for call in directQueue.takeAll(where: { $0.deadline <= now }) {
            call.fail(directState.failure(whileConnected: direct != nil))
        }
        for wait in lockWaits.values where wait.deadline <= now {
            lockWaits[wait.id] = nil
            wait.continuation.resume()
        }
        for connection in Array(connections.values) + (direct.map { [$0] } ?? []) {
            guard let deadline = connection.call?.deadline else { continue }
            guard deadline <= now else {
                deadlines.note(deadline)
                continue
            }
            // The server may still execute the statement. So the connection cannot be used again.
            connection.abandon()?.fail(PostgresFailure(.timedOut, mayHaveTakenEffect: true))
            if connection !== direct { remove(connection) }
        }
        for connection in idle where connection.idleSince + settings.idleLimit <= now { remove(connection) }
        for connection in idle { deadlines.note(connection.idleSince + settings.idleLimit) }
        for deadline in [queue.earliestDeadline, directQueue.earliestDeadline, lockWaits.values.map(\.deadline).min()] {
            if let deadline { deadlines.note(deadline) }
        }
    }

    // MARK: The end

    private func shutDown() {
        for command in mailbox.close(releasing: wakeup.close) { refuse(command) }
        queue.failAll(PostgresFailure(.closed))
        directQueue.failAll(PostgresFailure(.closed))
        for wait in lockWaits.values { wait.continuation.resume() }
        for connection in Array(connections.values) + (direct.map { [$0] } ?? []) {
            connection.abandon()?.fail(PostgresFailure(.closed, mayHaveTakenEffect: true))
        }
        if let direct { settings.directState.ended(direct.serial) }
        connections = [:]
        idle = []
        direct = nil
    }

    private func refuse(_ command: Command) {
        switch command {
        case .perform(let call): call.fail(PostgresFailure(.closed))
        case .waitForLock(let wait): wait.continuation.resume()
        case .connected(.success(let opened), _): opened.discard()
        case .connected, .endTransaction, .dropDirect, .endWait, .close: break
        }
    }
}
#endif
