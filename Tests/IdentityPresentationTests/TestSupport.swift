import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityPlatform
import IdentityPresentation
import Synchronization

/// Sends bytes to a loopback port and reads until the other side closes; nil if no server listens.
///
/// Runs on a dedicated thread, because a blocked thread of the cooperative pool would starve the tasks.
func exchange(_ port: UInt16, _ text: String) async -> String? {
    await withCheckedContinuation { continuation in
        let bytes = Array(text.utf8)
        if !DedicatedThread.start({ continuation.resume(returning: blockingExchange(port, bytes)) }) {
            continuation.resume(returning: nil)
        }
    }
}

func get(_ port: UInt16, _ target: String, _ headers: String = "") async -> String? {
    await exchange(port, "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(headers)Connection: close\r\n\r\n")
}

/// Whether the listener of a login no longer responds to `path`, the path of its redirect URI, which no other test uses.
///
/// A connection can still succeed: a process that another test starts may hold a copy of the closed socket for a moment, and the server
/// of another test may get the freed port.
func isDeaf(_ port: UInt16, _ path: String) async -> Bool {
    // The listener refuses the state of another login with status 400.
    !(await get(port, "\(path)?code=x&state=y") ?? "").hasPrefix("HTTP/1.1 400 ")
}

private func connected(_ socket: Int32, to port: UInt16) -> Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    return unsafe withUnsafeBytes(of: &address) { raw in
        unsafe raw.withMemoryRebound(to: sockaddr.self) {
            unsafe connect(socket, $0.baseAddress, socklen_t(raw.count)) == 0
        }
    }
}

private func blockingExchange(_ port: UInt16, _ bytes: [UInt8]) -> String? {
    let socket = Platform.socket(AF_INET, Platform.streamSocket, 0)
    defer { close(socket) }
    guard connected(socket, to: port) else { return nil }
    _ = unsafe IdentityPlatform.send(socket, bytes, bytes.count, Platform.sendFlags)
    var all: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 4096)
    while true {
        let count = unsafe recv(socket, &room, room.count, 0)
        guard count > 0 else { return String(decoding: all, as: UTF8.self) }
        all += room[..<count]
    }
}

/// A connection that sends an incomplete request or nothing, and is closed when it is deallocated.
final class IdleConnection: Sendable {
    private let socket: Int32

    init(port: UInt16, sending text: String) {
        socket = Platform.socket(AF_INET, Platform.streamSocket, 0)
        _ = connected(socket, to: port)
        let bytes = Array(text.utf8)
        _ = unsafe IdentityPlatform.send(socket, bytes, bytes.count, Platform.sendFlags)
    }

    deinit { close(socket) }

    var isOpen: Bool {
        var byte: UInt8 = 0
        let count = unsafe recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count < 0 && errno == EAGAIN
    }
}

final class Awaited<Value: Sendable>: Sendable {
    private let state = Mutex<(value: Value?, waiter: CheckedContinuation<Value, Never>?)>((nil, nil))

    func set(_ value: Value) {
        let waiter = state.withLock { state in
            state.value = value
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: value)
    }

    func get() async -> Value {
        await withCheckedContinuation { continuation in
            let value = state.withLock { state in
                if state.value == nil { state.waiter = continuation }
                return state.value
            }
            if let value { continuation.resume(returning: value) }
        }
    }
}

/// A login with the state `s`, whose authorization URL contains the requested redirect URI.
func login(redirectURI: String?) -> PresentedLogin {
    PresentedLogin(provider: "test", redirectURI: redirectURI) { used in
        AuthorizationRequest(
            url: try HTTPURL("https://id.example/authorize?redirect_uri=\(FormEncoding.escape(used ?? ""))"),
            attempt: LoginAttempt(provider: "test", state: Secret("s"), createdAt: .now, expiresAt: .now)
        )
    }
}

/// A browser that only records the page that it should open.
struct RecordingBrowser: BrowserOpening {
    let opened = Awaited<HTTPURL>()

    func open(_ url: HTTPURL) async -> Bool {
        opened.set(url)
        return true
    }

    /// The redirect URI of the authorization request.
    func redirectURI() async -> String {
        let query = await opened.get().query ?? ""
        return FormEncoding.decode(Array(query.utf8))?.first?.value ?? ""
    }

    func port() async throws -> UInt16 {
        try HTTPURL(await redirectURI()).port
    }
}
