internal import CIdentityPostgres
internal import Glibc

/// The thread that talks to the server: hands connections to those who wait, drives libpq, keeps the deadlines.
///
/// Everything in it belongs to that thread.
final class Loop {
    private let mailbox: Mailbox
    private let settings: PoolSettings

    private var links: [Int: Link] = [:]
    private var idle: [Link] = []
    private var line = WaitingLine()
    private var pool = ConnectionState()
    private var nextSerial = 1

    private var direct: Link?
    private var directLine = WaitingLine()
    private var directState = ConnectionState()
    private var naps: [UInt64: Nap] = [:]

    private var commands: [Mailbox.Command] = []
    private var entries: [pollfd] = []
    private var polled: [Link] = []
    // No deadline lies before this; a later true value costs one look at all of them and no more.
    private var nextDeadline: ContinuousClock.Instant?
    private var isOpen = true

    init(mailbox: Mailbox, settings: PoolSettings) {
        self.mailbox = mailbox
        self.settings = settings
    }

    func run() {
        while isOpen {
            takeCommands()
            dispatch()
            dispatchDirect()
            wait()
            advance()
            if let nextDeadline, nextDeadline <= .now { expire() }
        }
        shutDown()
    }

    // MARK: Commands

    private func takeCommands() {
        mailbox.take(into: &commands)
        for command in commands {
            switch command {
            case .perform(let call, .pooled): enqueue(.call(call))
            case .perform(let call, .direct):
                note(call.deadline)
                directLine.append(.call(call))
            case .borrow(let borrowing): enqueue(.borrowing(borrowing))
            case .performBorrowed(let call, let serial):
                guard let link = links[serial], link.isBorrowed, !link.isBroken else {
                    // It went between two statements, this one was never sent.
                    call.continuation.resume(returning: .failure(PostgresFailure(.lost)))
                    continue
                }
                begin(call, on: link)
            case .giveBack(let serial):
                guard let link = links[serial] else { continue }
                link.isBorrowed = false
                settle(link)
            case .dropDirect(let serial): if let direct, direct.serial == serial { drop(direct) }
            case .nap(let nap):
                note(nap.deadline)
                naps[nap.id] = nap
            case .wake(let id): naps.removeValue(forKey: id)?.continuation.resume()
            case .connected(let result, .pooled): connected(result)
            case .connected(let result, .direct): connectedDirectly(result)
            case .close: isOpen = false
            }
        }
        commands.removeAll(keepingCapacity: true)
    }

    private func enqueue(_ waiter: WaitingLine.Waiter) {
        note(waiter.deadline)
        line.append(waiter)
    }

    // MARK: The pool

    /// Gives connections to those who wait, and makes new ones where it helps.
    private func dispatch() {
        while !line.isEmpty, let index = idle.lastIndex(where: { !$0.isReadOnly || line.count > line.writers }) {
            let link = idle[index]
            if link.isReadOnly, hasWritableLink {
                // What it would answer may be older than what the other server has been told.
                remove(link)
                continue
            }
            guard let waiter = line.take(readersOnly: link.isReadOnly) else { break }
            idle.remove(at: index)
            switch waiter {
            case .call(let call): begin(call, on: link)
            case .borrowing(let borrowing):
                link.isBorrowed = true
                borrowing.continuation.resume(returning: .success(link.serial))
            }
        }
        guard !line.isEmpty else { return }
        // With other connections at work, those who wait still have a chance.
        if let obstacle = pool.obstacle, pool.pausedUntil != nil, links.isEmpty { return failAll(obstacle) }
        if line.writers > 0, pool.isKnownReadOnly, pool.connecting == 0, links.values.allSatisfy(\.isReadOnly) {
            for waiter in line.takeAll(where: { $0.needsWriting }) { waiter.fail(PostgresFailure(.readOnly)) }
        }
        if let pause = pool.pausedUntil { note(pause) }
        while pool.mayConnect, pool.connecting < line.count, makeRoom() {
            pool.began()
            let mailbox = mailbox
            let hasStarted = settings.connector.start { Self.hand($0, .pooled, to: mailbox) }
            if !hasStarted { pool.failed(PostgresFailure(.client)) }
        }
    }

    /// Whether one more connection is allowed; one that takes no writes makes room for one that may.
    private func makeRoom() -> Bool {
        if links.count + pool.connecting < settings.maximumConnections { return true }
        guard line.writers > 0, let link = idle.first(where: \.isReadOnly) else { return false }
        remove(link)
        return true
    }

    private var hasWritableLink: Bool { links.values.contains { !$0.isReadOnly && !$0.isBroken } }

    private static func hand(_ result: Result<Established, PostgresFailure>, _ role: Role, to mailbox: Mailbox) {
        if !mailbox.post(.connected(result, role)), case .success(let established) = result { established.discard() }
    }

    private func connected(_ result: Result<Established, PostgresFailure>) {
        switch result {
        case .success(let established) where established.isReadOnly && hasWritableLink:
            // Tried again after a pause: the server that takes writes is not gone, it only refused this one.
            established.discard()
            pool.failed(PostgresFailure(.readOnly))
        case .success(let established):
            if !established.isReadOnly { for link in idle where link.isReadOnly { remove(link) } }
            pool.succeeded(isReadOnly: established.isReadOnly)
            let link = Link(established, serial: nextSerial, usesPreparation: settings.preparesStatements)
            nextSerial += 1
            links[link.serial] = link
            putBack(link)
        case .failure(let failure):
            pool.failed(failure)
            if failure.isConfiguration, links.isEmpty { failAll(failure) }
        }
    }

    private func failAll(_ failure: PostgresFailure) {
        for waiter in line.takeAll(where: { _ in true }) { waiter.fail(failure) }
    }

    private func putBack(_ link: Link) {
        link.idleSince = .now
        note(link.idleSince + settings.idleLimit)
        idle.append(link)
    }

    private func begin(_ call: Call, on link: Link) {
        note(call.deadline)
        link.start(call)
        // Nothing is read before the poll, but a connection that broke while sending is told of at once.
        if link.isBroken { advance(link) }
    }

    private func remove(_ link: Link) {
        links[link.serial] = nil
        idle.removeAll { $0 === link }
    }

    /// Puts a connection back, or drops one that is broken, or left in a transaction.
    private func settle(_ link: Link) {
        if link.isBroken || (!link.isBorrowed && !link.isClean) {
            remove(link)
        } else if !link.isBorrowed {
            putBack(link)
        }
    }

    // MARK: The direct connection

    private func dispatchDirect() {
        // A lock of a server that is no primary any more keeps nobody out.
        if let link = direct, link.isBroken || link.isReadOnly { drop(link) }
        // Naps want to hear of notifications, but can do without.
        guard !directLine.isEmpty || (settings.listens && !naps.isEmpty) else { return }
        guard let connector = settings.directConnector else {
            for waiter in directLine.takeAll(where: { _ in true }) { waiter.fail(PostgresFailure(.client)) }
            return
        }
        if let direct {
            if direct.call == nil, case .call(let call) = directLine.take(readersOnly: false) {
                begin(call, on: direct)
            }
            return
        }
        if let obstacle = directState.obstacle, directState.pausedUntil != nil {
            for waiter in directLine.takeAll(where: { _ in true }) { waiter.fail(obstacle) }
        }
        if let pause = directState.pausedUntil { note(pause) }
        guard directState.mayConnect, directState.connecting == 0 else { return }
        directState.began()
        let mailbox = mailbox
        let hasStarted = connector.start { Self.hand($0, .direct, to: mailbox) }
        if !hasStarted { directState.failed(PostgresFailure(.client)) }
    }

    /// Ends the direct connection, and with it every lock that it holds.
    private func drop(_ link: Link) {
        link.abandon()?.continuation.resume(returning: .failure(PostgresFailure(.lost, mayHaveHappened: true)))
        direct = nil
        settings.directState.ended(link.serial)
    }

    private func connectedDirectly(_ result: Result<Established, PostgresFailure>) {
        switch result {
        case .success(let established) where established.isReadOnly:
            established.discard()
            directState.failed(PostgresFailure(.readOnly))
        case .success(let established):
            directState.succeeded(isReadOnly: false)
            let link = Link(established, serial: nextSerial, usesPreparation: settings.preparesStatements)
            nextSerial += 1
            direct = link
            settings.directState.began(link.serial)
        case .failure(let failure): directState.failed(failure)
        }
    }

    /// Ends the naps that a notification is about.
    private func wakeNaps(_ payloads: [String]) {
        let keys = Set(payloads.compactMap { Int64($0) })
        for nap in naps.values where keys.contains(nap.key) {
            naps[nap.id] = nil
            nap.continuation.resume()
        }
    }

    // MARK: Waiting

    private func wait() {
        entries.removeAll(keepingCapacity: true)
        polled.removeAll(keepingCapacity: true)
        entries.append(pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0))
        for link in links.values { polled.append(link) }
        if let direct { polled.append(direct) }
        for link in polled { entries.append(pollfd(fd: link.socket, events: link.events, revents: 0)) }
        let found = unsafe poll(&entries, nfds_t(entries.count), isOpen ? timeout() : 0)
        // What an interrupted poll leaves in the events is not to be relied on.
        if found <= 0 { for index in entries.indices { entries[index].revents = 0 } }
        if entries[0].revents != 0 { identity_postgres_wake_clear(mailbox.descriptor) }
    }

    private func timeout() -> Int32 {
        guard let nextDeadline else { return 60_000 }
        let left = (nextDeadline - .now) / .milliseconds(1)
        return left <= 0 ? 0 : Int32(min(left, 60_000)) + 1
    }

    private func advance() {
        for (index, link) in polled.enumerated() where entries[index + 1].revents != 0 { advance(link) }
    }

    private func advance(_ link: Link) {
        let wasBusy = link.call != nil
        let continuation = link.call?.continuation
        if case .finished(let answer) = link.advance() { continuation?.resume(returning: answer) }
        if link === direct {
            wakeNaps(link.notifications())
        } else {
            _ = link.notifications()
            if link.isBroken {
                if !link.isBorrowed || link.call == nil { remove(link) }
            } else if wasBusy, link.call == nil, !link.isBorrowed {
                settle(link)
            }
        }
    }

    private func note(_ deadline: ContinuousClock.Instant) {
        nextDeadline = min(nextDeadline ?? deadline, deadline)
    }

    private func expire() {
        nextDeadline = nil
        let now = ContinuousClock.now
        let isCrowded = !links.isEmpty
        for waiter in line.takeAll(where: { $0.deadline <= now }) {
            waiter.fail(pool.failure(whileWaiting: isCrowded))
        }
        for waiter in directLine.takeAll(where: { $0.deadline <= now }) {
            waiter.fail(directState.failure(whileWaiting: direct != nil))
        }
        for nap in naps.values where nap.deadline <= now {
            naps[nap.id] = nil
            nap.continuation.resume()
        }
        for link in Array(links.values) + (direct.map { [$0] } ?? []) {
            guard let deadline = link.call?.deadline else { continue }
            guard deadline <= now else {
                note(deadline)
                continue
            }
            // Whatever the server makes of it, nobody waits for it any more, and the connection is not to be trusted.
            link.abandon()?.continuation.resume(returning: .failure(PostgresFailure(.timedOut, mayHaveHappened: true)))
            if link !== direct { remove(link) }
        }
        for link in idle where link.idleSince + settings.idleLimit <= now { remove(link) }
        for link in idle { note(link.idleSince + settings.idleLimit) }
        for deadline in [line.earliestDeadline, directLine.earliestDeadline, naps.values.map(\.deadline).min()] {
            if let deadline { note(deadline) }
        }
    }

    // MARK: The end

    private func shutDown() {
        for command in mailbox.loopEnded() { refuse(command) }
        failAll(PostgresFailure(.closed))
        for waiter in directLine.takeAll(where: { _ in true }) { waiter.fail(PostgresFailure(.closed)) }
        for nap in naps.values { nap.continuation.resume() }
        for link in Array(links.values) + (direct.map { [$0] } ?? []) {
            link.abandon()?.continuation.resume(returning: .failure(PostgresFailure(.closed, mayHaveHappened: true)))
        }
        if let direct { settings.directState.ended(direct.serial) }
        links = [:]
        idle = []
        direct = nil
    }

    private func refuse(_ command: Mailbox.Command) {
        switch command {
        case .perform(let call, _), .performBorrowed(let call, _):
            call.continuation.resume(returning: .failure(PostgresFailure(.closed)))
        case .borrow(let borrowing): borrowing.continuation.resume(returning: .failure(PostgresFailure(.closed)))
        case .nap(let nap): nap.continuation.resume()
        case .connected(.success(let established), _): established.discard()
        case .connected, .giveBack, .dropDirect, .wake, .close: break
        }
    }
}
