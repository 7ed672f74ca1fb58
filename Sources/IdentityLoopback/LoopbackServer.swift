internal import IdentityPlatform
internal import Synchronization

/// A small HTTP/1.1 server on the loopback interface, for example for the redirect of a native app (RFC 8252 section 7.3).
///
/// One thread serves the sockets. The handler runs in a separate task for each request. The server stops after ``stop()``, after
/// ``finish(within:)``, or when the last reference to it is released.
package final class LoopbackServer: Sendable {
    package typealias Handler = @Sendable (LoopbackRequest) async -> LoopbackResponse

    final class SharedHandler: Sendable {
        let current: Mutex<Handler>

        init(_ handler: @escaping Handler) { current = Mutex(handler) }
    }

    package let port: UInt16
    /// `http://127.0.0.1:PORT` or `http://[::1]:PORT`.
    package let origin: String
    private let mailbox: Mailbox<LoopbackCommand>
    private let handler: SharedHandler

    private init(_ origin: String, _ port: UInt16, _ mailbox: Mailbox<LoopbackCommand>, _ handler: SharedHandler) {
        self.origin = origin
        self.port = port
        self.mailbox = mailbox
        self.handler = handler
    }

    deinit {
        mailbox.post(.stop)
    }

    /// Starts a server; with port 0, the kernel chooses a free port.
    ///
    /// Without `handler`, the response to each valid request has status 503 until ``serve(_:)`` sets a handler. The requests of one
    /// connection are handled one after the other. Throws ``LoopbackServerError``, for example when the port is in use.
    package static func start(
        port: UInt16 = 0,
        address: LoopbackAddress = .v4,
        limits: LoopbackLimits = LoopbackLimits(),
        handler: @escaping Handler = { _ in .message(status: 503) }
    ) async throws -> LoopbackServer {
        let (listener, port) = try LoopbackSocket.listen(on: address, port: port)
        guard let wakeup = WakeupPipe() else {
            let number = errno
            close(listener)
            throw LoopbackServerError(operation: "pipe", number: number)
        }
        let mailbox = Mailbox<LoopbackCommand>(wake: wakeup.wake)
        let handler = SharedHandler(handler)
        let started = DedicatedThread.start {
            LoopbackLoop(listener: listener, mailbox: mailbox, wakeup: wakeup, limits: limits, handler: handler).run()
        }
        guard started else {
            close(listener)
            _ = mailbox.close(releasing: wakeup.close)
            throw LoopbackServerError(operation: "pthread_create", number: EAGAIN)
        }
        let host = address == .v4 ? "127.0.0.1" : "[::1]"
        return LoopbackServer("http://\(host):\(port)", port, mailbox, handler)
    }

    /// Handles all later requests with `handler`, for handlers that need the server's ``origin``.
    package func serve(_ handler: @escaping Handler) {
        self.handler.current.withLock { $0 = handler }
    }

    /// Closes the port, waits up to `limit` (at most 60 seconds) until the clients have read the pending responses, then stops the server.
    package func finish(within limit: Duration = .milliseconds(500)) async {
        mailbox.post(.finish(within: limit))
        await mailbox.waitForEnd()
    }

    /// Closes the port and all connections, and cancels the tasks of the handlers; returns when the connections are closed.
    package func stop() async {
        mailbox.post(.stop)
        await mailbox.waitForEnd()
    }
}

package struct LoopbackLimits: Sendable {
    /// When a client connects beyond this number, the server closes the oldest connection without a pending response or, if every
    /// connection has a pending response, the new connection.
    package var connections = 4096
    /// The maximum size of a request's head, and of its trailers, in bytes.
    package var headerBytes = 64 << 10
    package var bodyBytes = 4 << 20
    /// How long a connection may be without input and output before the server closes it; handlers and scripted delays do not count.
    package var idleTimeout = Duration.seconds(60)

    package init() {}
}
