internal import IdentityPlatform

/// One connection of a ``LoopbackServer``; used on the loop's thread only.
final class LoopbackConnection {
    enum StepOutcome {
        case stays
        case request(LoopbackRequest)
        case closed
    }

    private enum State {
        case reading
        case waiting(isHead: Bool, keepAlive: Bool)
        case answering
        /// The server has sent everything and shut down its sending side. It discards further input, because the kernel would answer input
        /// on a closed socket with RST, and the client might not be able to read the response.
        case draining
    }

    let socket: Int32
    private(set) var deadline: ContinuousClock.Instant
    private var state = State.reading
    private var parser: LoopbackRequestParser
    private var output: [UInt8] = []
    private var sent = 0
    private var actions: ArraySlice<LoopbackAction> = []
    private var keepAlive = false
    private var isDelayed = false
    private let idleTimeout: Duration

    init(socket: Int32, limits: LoopbackLimits) {
        self.socket = socket
        parser = LoopbackRequestParser(limits: limits)
        idleTimeout = limits.idleTimeout
        deadline = .now.advanced(by: idleTimeout)
    }

    var interest: (reads: Bool, writes: Bool) {
        switch state {
        case .reading, .draining: (true, sent < output.count)
        case .waiting, .answering: (false, sent < output.count)
        }
    }

    /// Whether no response is pending, so that the server may close the connection to make room for a new one.
    var isIdle: Bool { interest == (reads: true, writes: false) }

    /// Whether a request is being handled, or the client may not have read its response.
    var isBusy: Bool {
        if case .reading = state { sent < output.count } else { true }
    }

    func readable(_ room: inout [UInt8]) -> StepOutcome {
        switch (state, LoopbackSocket.receive(socket, into: &room)) {
        case (_, .wouldBlock): return .stays
        case (_, .ended): return .closed
        case (.reading, .bytes(let count)):
            parser.append(room[..<count])
            deadline = .now.advanced(by: idleTimeout)
            return advance()
        case (_, .bytes): return .stays
        }
    }

    func respond(_ response: LoopbackResponse) -> StepOutcome {
        guard case .waiting(let isHead, let requestKeepAlive) = state else { return .stays }
        state = .answering
        deadline = .now.advanced(by: idleTimeout)
        switch response.content {
        case .message(let status, let headers, let body):
            let message = LoopbackResponse.encode(
                status: status,
                headers: headers,
                body: body,
                isHead: isHead,
                keepAlive: requestKeepAlive
            )
            enqueue(message.bytes)
            keepAlive = message.keepAlive
        case .script(let script):
            actions = script[...]
            keepAlive = false
        }
        return flush()
    }

    private func refuse(_ status: Int) -> StepOutcome {
        state = .waiting(isHead: false, keepAlive: false)
        return respond(.message(status: status))
    }

    func timedOut() -> StepOutcome {
        switch state {
        case .answering where isDelayed:
            isDelayed = false
            deadline = .now.advanced(by: idleTimeout)
            return flush()
        case .waiting:
            // A handler has no time limit, because the client decides how long it waits for the response. So the deadline moves.
            deadline = .now.advanced(by: idleTimeout)
            return .stays
        case .reading where parser.isInside:
            return refuse(408)
        default:
            return .closed
        }
    }

    private func advance() -> StepOutcome {
        switch parser.next() {
        case .needsMore:
            return .stays
        case .expectsContinue:
            enqueue(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
            return flush()
        case .invalid(let status):
            return refuse(status)
        case .request(let request, let keepAlive):
            state = .waiting(isHead: request.method == "HEAD", keepAlive: keepAlive)
            return .request(request)
        }
    }

    private func enqueue(_ bytes: [UInt8]) {
        if sent == output.count {
            output = bytes
            sent = 0
        } else {
            output += bytes
        }
    }

    /// Writes pending output, then performs the next steps of a scripted response, then reads the next request.
    func flush() -> StepOutcome {
        while true {
            while sent < output.count {
                switch LoopbackSocket.send(socket, output, from: sent) {
                case .bytes(let count):
                    sent += count
                    deadline = .now.advanced(by: idleTimeout)
                case .wouldBlock: return .stays
                case .ended: return .closed
                }
            }
            guard case .answering = state else { return .stays }
            if isDelayed { return .stays }
            guard let action = actions.popFirst() else { return finish() }
            switch action {
            case .send(let bytes):
                enqueue(bytes)
            case .call(let function):
                function()
            case .delay(let duration):
                isDelayed = true
                deadline = .now.advanced(by: min(max(duration, .zero), .seconds(3600)))
            case .close:
                actions = []
            case .reset:
                LoopbackSocket.resetOnClose(socket)
                return .closed
            }
        }
    }

    private func finish() -> StepOutcome {
        output = []
        sent = 0
        guard keepAlive else {
            state = .draining
            deadline = .now.advanced(by: .seconds(1))
            shutdown(socket, Int32(SHUT_WR))
            return .stays
        }
        state = .reading
        return advance()
    }
}
