internal import IdentityPlatform
internal import Synchronization

enum LoopbackCommand: Sendable {
    case respond(connection: UInt64, LoopbackResponse)
    case finish(within: Duration)
    case stop
}

/// The event loop of a ``LoopbackServer``; used on one thread only.
final class LoopbackLoop {
    // -1 once the port is closed; poll ignores negative descriptors.
    private var listener: Int32
    private let mailbox: Mailbox<LoopbackCommand>
    private let wakeup: WakeupPipe
    private let limits: LoopbackLimits
    private let handler: LoopbackServer.SharedHandler

    private var connections: [UInt64: LoopbackConnection] = [:]
    private var tasks: [UInt64: Task<Void, Never>] = [:]
    private var nextIdentifier: UInt64 = 1
    private var deadlines = NextDeadline()
    private var room = [UInt8](repeating: 0, count: 64 << 10)
    private var isRunning = true
    // Set by `finish`: at this time the server stops even if a connection is busy.
    private var end: ContinuousClock.Instant?

    init(
        listener: Int32,
        mailbox: Mailbox<LoopbackCommand>,
        wakeup: WakeupPipe,
        limits: LoopbackLimits,
        handler: LoopbackServer.SharedHandler
    ) {
        self.listener = listener
        self.mailbox = mailbox
        self.wakeup = wakeup
        self.limits = limits
        self.handler = handler
    }

    func run() {
        // poll is used instead of epoll: there are few connections, and poll needs no extra system call when the requested events change.
        while isRunning, !hasFinished {
            var descriptors = [
                pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wakeup.readDescriptor, events: Int16(POLLIN), revents: 0),
            ]
            var identifiers: [UInt64] = [0, 0]
            for (identifier, connection) in connections {
                let interest = connection.interest
                let events = (interest.reads ? POLLIN : 0) | (interest.writes ? POLLOUT : 0)
                descriptors.append(pollfd(fd: connection.socket, events: Int16(events), revents: 0))
                identifiers.append(identifier)
            }
            let timeout = deadlines.timeout(atMost: 3_600_000)
            guard unsafe poll(&descriptors, nfds_t(descriptors.count), timeout) >= 0 || errno == EINTR else { break }
            for (descriptor, identifier) in zip(descriptors, identifiers).dropFirst(2) where descriptor.revents != 0 {
                handle(identifier, Int32(descriptor.revents))
            }
            if descriptors[0].revents != 0 { acceptAll() }
            if descriptors[1].revents != 0 { readMailbox() }
            if deadlines.takeIfDue() { expire() }
        }
        shutDown()
    }

    private func handle(_ identifier: UInt64, _ events: Int32) {
        guard let connection = connections[identifier] else { return }
        if events & (POLLERR | POLLHUP | POLLNVAL) != 0, events & POLLIN == 0 {
            return settle(.closed, identifier, connection)
        }
        if events & POLLOUT != 0 { settle(connection.flush(), identifier, connection) }
        if events & POLLIN != 0, connections[identifier] === connection {
            settle(connection.readable(&room), identifier, connection)
        }
    }

    private func acceptAll() {
        // At most 64 at a time, so that many new connections do not delay the open ones.
        for _ in 0..<64 {
            var socket = LoopbackSocket.accept(listener)
            if socket < 0, errno == EMFILE || errno == ENFILE {
                // `accept` can fail with these errors although no client waits. A connection is closed only if a client waits.
                guard LoopbackSocket.hasInput(listener) else { return }
                if makeRoom() { socket = LoopbackSocket.accept(listener) }
            }
            guard socket >= 0 else {
                // While no descriptor or memory is free, a waiting client keeps the listener readable. Without this pause, the loop would
                // use a whole CPU.
                if errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM { usleep(10_000) }
                return
            }
            guard connections.count < limits.connections || makeRoom() else {
                close(socket)
                continue
            }
            let connection = LoopbackConnection(socket: socket, limits: limits)
            connections[nextIdentifier] = connection
            deadlines.note(connection.deadline)
            nextIdentifier += 1
        }
    }

    /// Closes the oldest connection without a pending response; false if every connection has a pending response.
    ///
    /// A connection in the state `draining` is closed last, because its client may not have read the response yet.
    private func makeRoom() -> Bool {
        let oldest = connections.filter(\.value.isIdle).min {
            ($0.value.isBusy ? 1 : 0, $0.key) < ($1.value.isBusy ? 1 : 0, $1.key)
        }
        guard let (identifier, connection) = oldest else { return false }
        settle(.closed, identifier, connection)
        return true
    }

    private func readMailbox() {
        wakeup.drain()
        var commands: [LoopbackCommand] = []
        mailbox.take(into: &commands)
        for command in commands {
            switch command {
            case .finish(let limit):
                closePort()
                end = .now.advanced(by: min(max(limit, .zero), .seconds(60)))
                if let end { deadlines.note(end) }
            case .stop:
                isRunning = false
            case .respond(let identifier, let response):
                tasks[identifier] = nil
                guard let connection = connections[identifier] else { continue }
                settle(connection.respond(response), identifier, connection)
            }
        }
    }

    private func settle(
        _ outcome: LoopbackConnection.StepOutcome,
        _ identifier: UInt64,
        _ connection: LoopbackConnection
    ) {
        switch outcome {
        case .closed:
            // The handler's task is not cancelled, because a cancelled handler could leave the state of a fake provider half changed.
            close(connection.socket)
            connections[identifier] = nil
            return
        case .request(let request):
            let (handler, mailbox) = (handler.current.withLock(\.self), mailbox)
            tasks[identifier] = Task.detached {
                mailbox.post(.respond(connection: identifier, await handler(request)))
            }
        case .stays:
            break
        }
        deadlines.note(connection.deadline)
    }

    private func expire() {
        let now = ContinuousClock.now
        for (identifier, connection) in connections {
            if connection.deadline <= now {
                settle(connection.timedOut(), identifier, connection)
            } else {
                deadlines.note(connection.deadline)
            }
        }
        if let end { deadlines.note(end) }
    }

    private var hasFinished: Bool {
        guard let end else { return false }
        return end <= .now || !connections.values.contains(where: \.isBusy)
    }

    private func closePort() {
        if listener >= 0 { close(listener) }
        listener = -1
    }

    private func shutDown() {
        for task in tasks.values { task.cancel() }
        for connection in connections.values { close(connection.socket) }
        connections = [:]
        closePort()
        // Releases the values that the handler captures, because one of them may own the server.
        handler.current.withLock { $0 = { _ in .message(status: 503) } }
        _ = mailbox.close(releasing: wakeup.close)
    }
}
