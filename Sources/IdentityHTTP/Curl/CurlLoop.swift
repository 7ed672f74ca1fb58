internal import CIdentityCurl
internal import IdentityPlatform
internal import Synchronization

/// The loop of the transport's thread: it takes requests, runs libcurl, enforces deadlines and resumes the callers.
@safe final class CurlLoop {
    private let mailbox: Mailbox<CurlCommand>
    private let handles: CurlMultiHandle
    private let configuration: CurlTransport.Configuration
    private let multi: UnsafeMutableRawPointer
    private let sockets: CurlSockets

    /// The easy handles in the multi handle, by request; `byAddress` contains the same handles by the address of the easy handle.
    private var byExchange: [ObjectIdentifier: CurlHandle] = [:]
    private var byAddress: [UInt: CurlHandle] = [:]
    private var idle: [CurlHandle] = []
    private var deadlines = NextDeadline()
    private var commands: [CurlCommand] = []
    private var settled: [CurlExchange] = []
    private var isOpen = true

    private static let maximumIdleHandles = 64

    init(_ mailbox: Mailbox<CurlCommand>, _ handles: CurlMultiHandle, _ configuration: CurlTransport.Configuration) {
        self.mailbox = mailbox
        self.handles = handles
        self.configuration = configuration
        unsafe multi = handles.pointer
        sockets = CurlSockets(handles.sockets, mayBeHTTP2: configuration.offersHTTP2)
    }

    func run() {
        let total = max(configuration.maximumConnections, 1)
        unsafe identity_curl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, total)
        unsafe identity_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, total)
        unsafe identity_curl_multi_set_long(
            multi,
            CURLMOPT_MAX_HOST_CONNECTIONS,
            max(configuration.maximumConnectionsPerHost, 1)
        )
        // libcurl uses the pointer only during calls that this object makes, so the pointer is valid then.
        unsafe identity_curl_multi_set_pointer(
            multi,
            CURLMOPT_SOCKETDATA,
            Unmanaged.passUnretained(sockets).toOpaque()
        )
        unsafe identity_curl_multi_set_socket(multi, CurlSockets.changed)
        while isOpen {
            takeCommands()
            // After a transfer was added, libcurl's timer is 0 ms. This call starts the transfer.
            if libcurlTimeout() == 0 { act(on: CURL_SOCKET_TIMEOUT) }
            collect()
            if deadlines.takeIfDue() { expire() }
            let hasSettled = resumeCallers()
            guard isOpen else { break }
            // A resumed caller may already have sent its next request, so the loop reads the mailbox before it waits.
            let timeout = !hasSettled && mailbox.mayWait() ? timeout() : 0
            handles.sockets.wait(milliseconds: timeout) { if sockets.wants($0) { act(on: $0, $1) } }
        }
        shutDown()
    }

    /// Lets libcurl handle the events of a socket, and the timers of libcurl that are due.
    private func act(on socket: Int32, _ events: SocketPoll.Events = SocketPoll.Events()) {
        var actions: Int32 = 0
        if events.contains(.read) { actions |= CURL_CSELECT_IN }
        if events.contains(.write) { actions |= CURL_CSELECT_OUT }
        if !events.isDisjoint(with: .failure) { actions |= CURL_CSELECT_ERR }
        var running: Int32 = 0
        unsafe curl_multi_socket_action(multi, socket, actions, &running)
    }

    /// The milliseconds until libcurl's next timer; -1 if libcurl has no timer.
    private func libcurlTimeout() -> Int {
        var milliseconds = -1
        unsafe curl_multi_timeout(multi, &milliseconds)
        return milliseconds
    }

    private func takeCommands() {
        mailbox.take(into: &commands, stayingAwake: true)
        for command in commands {
            switch command {
            case .submit(let exchange):
                start(exchange)
            case .cancel(let exchange):
                guard let handle = byExchange[ObjectIdentifier(exchange)] else { continue }
                abort(handle, .cancelled, "The task was cancelled.")
            case .close:
                isOpen = false
            }
        }
        commands.removeAll(keepingCapacity: true)
    }

    private func start(_ exchange: CurlExchange) {
        if exchange.isCancelled.load(ordering: .acquiring) {
            return refuse(exchange, .cancelled, "The task was cancelled.")
        }
        // Without this check, a request whose deadline has passed could still be sent: a server on this machine can respond before
        // `expire` runs.
        guard exchange.totalDeadline > .now else {
            return refuse(exchange, .timedOut, "The deadline passed before the request could be sent.")
        }
        guard let handle = idle.popLast() ?? CurlHandle(sockets) else {
            return refuse(exchange, .internalFailure, "libcurl could not create a handle.")
        }
        deadlines.note(exchange.deadline)
        guard handle.begin(exchange, configuration), unsafe curl_multi_add_handle(multi, handle.easy) == CURLM_OK else {
            handle.end()
            return refuse(exchange, .internalFailure, "libcurl could not configure or start the request.")
        }
        byExchange[ObjectIdentifier(exchange)] = handle
        byAddress[handle.address] = handle
    }

    private func refuse(_ exchange: CurlExchange, _ code: HTTPTransportError.Code, _ message: String) {
        exchange.result = .failure(.notSent(code, message))
        settled.append(exchange)
    }

    private func collect() {
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE, let easy = unsafe message.pointee.easy_handle else {
                continue
            }
            // The result is read before the handle is removed, because the removal frees the message.
            let result = unsafe message.pointee.data.result
            guard let handle = byAddress[UInt(bitPattern: easy)], let exchange = handle.exchange else { continue }
            settle(handle, exchange, outcome(of: result, exchange, handle.detail))
        }
    }

    private func outcome(
        of result: CURLcode,
        _ exchange: CurlExchange,
        _ detail: @autoclosure () -> String
    ) -> Result<HTTPResponse, HTTPTransportError> {
        if result == CURLE_OK, let response = exchange.reader.response() { return .success(response) }
        // libcurl returns one of these results when a callback refuses a request. Any other result has another cause, such as a timeout
        // at a permitted address, so the error reports this cause instead of the refusal.
        let mayBeRefusal = result == CURLE_ABORTED_BY_CALLBACK || result == CURLE_COULDNT_CONNECT
        let failure =
            exchange.reader.failure ?? (mayBeRefusal ? exchange.failure : nil)
            ?? CurlFailure.reason(
                // libcurl reports success when the connection ends within the headers.
                result == CURLE_OK ? CURLE_GOT_NOTHING : result,
                phase: exchange.phase,
                hasHeaders: exchange.reader.hasHeaders,
                detail: detail()
            )
        return .failure(exchange.error(failure.code, failure.message))
    }

    private func expire() {
        let now = ContinuousClock.now
        for handle in Array(byExchange.values) {
            guard let exchange = handle.exchange else { continue }
            if exchange.totalDeadline <= now {
                abort(handle, .timedOut, "The response was not complete before the deadline.")
            } else if exchange.deadline <= now {
                abort(handle, .timedOut, "The response did not begin before the deadline.")
            } else {
                deadlines.note(exchange.deadline)
            }
        }
    }

    private func abort(_ handle: CurlHandle, _ code: HTTPTransportError.Code, _ message: String) {
        guard let exchange = handle.exchange else { return }
        settle(handle, exchange, .failure(exchange.error(code, message)))
    }

    /// Ends a handle's transfer; ``resumeCallers()`` delivers the result.
    private func settle(
        _ handle: CurlHandle,
        _ exchange: CurlExchange,
        _ result: Result<HTTPResponse, HTTPTransportError>
    ) {
        unsafe curl_multi_remove_handle(multi, handle.easy)
        byAddress[handle.address] = nil
        byExchange[ObjectIdentifier(exchange)] = nil
        exchange.result = result
        handle.end()
        if idle.count < CurlLoop.maximumIdleHandles { idle.append(handle) }
        settled.append(exchange)
    }

    /// Resumes the callers of all settled requests; returns whether at least one was resumed.
    ///
    /// The callers are resumed together, because each switch to the tasks' threads costs more than a resumption.
    private func resumeCallers() -> Bool {
        for exchange in settled { exchange.resumeCaller() }
        defer { settled.removeAll(keepingCapacity: true) }
        return !settled.isEmpty
    }

    private func timeout() -> Int32 {
        let libcurl = libcurlTimeout()
        return deadlines.timeout(atMost: libcurl < 0 ? 60_000 : Int32(min(libcurl, 60_000)))
    }

    private func shutDown() {
        for handle in Array(byExchange.values) {
            abort(handle, .closed, "The transport was closed.")
        }
        _ = resumeCallers()
        // libcurl requires that easy handles are freed before the multi handle.
        idle = []
        for case .submit(let exchange) in mailbox.close(releasing: handles.free) {
            exchange.result = .failure(CurlFailure.closed(.notSent))
            exchange.resumeCaller()
        }
    }
}
