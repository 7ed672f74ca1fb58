internal import FoundationEssentials
internal import IdentityHTTP
internal import IdentityKit

/// The value of a login's cookie: `TIME.BINDING` while the login is pending, `TIME.done.SESSION.PATH` after it is complete.
///
/// `TIME` is ``time`` in hexadecimal, after a `p` if the provider posts the callback. `BINDING` is the browser binding, `SESSION` the
/// reference of the new session, and `PATH` the escaped path to which the login sent the browser.
struct LoginCookieValue {
    enum State {
        /// The login has begun; the binding proves that its callback comes from the browser in which the login began.
        case pending(Secret)
        /// The login created this session and sent the browser to this path; a path that was too long for the cookie is empty here.
        case completed(SessionReference, returnPath: String)
    }

    /// The maximum size of the escaped path in bytes, because servers and proxies limit the total size of a request's cookies.
    private static let maximumPathBytes = 256

    /// When the login expires, in seconds since 1970; `SignInCookies.excessLogins` sorts by it.
    let time: Int
    let mode: ResponseMode
    let state: State

    var binding: Secret? { if case .pending(let binding) = state { binding } else { nil } }

    init(_ login: StartedLogin) {
        time = Int(login.expiresAt.timeIntervalSince1970)
        mode = login.responseMode
        state = .pending(login.browserBinding)
    }

    private init(time: Int, mode: ResponseMode, state: State) {
        self.time = time
        self.mode = mode
        self.state = state
    }

    /// The value for the completed login; it omits a path that is too long, so that a repeated callback leads to the home page.
    func completed(_ session: SessionReference, returnPath: String) -> LoginCookieValue {
        let isShort = Self.escaped(returnPath).utf8.count <= Self.maximumPathBytes
        let state = State.completed(session, returnPath: isShort ? returnPath : "")
        return LoginCookieValue(time: time, mode: mode, state: state)
    }

    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
        let isPosted = parts[0].utf8.first == UInt8(ascii: "p")
        guard let time = Int(isPosted ? String(parts[0].dropFirst()) : parts[0], radix: 16) else { return nil }
        self.time = time
        mode = isPosted ? .formPost : .query
        switch parts.count {
        case 2:
            state = .pending(Secret(parts[1]))
        case 4 where parts[1] == "done":
            guard let session = SessionReference(rawValue: parts[2]),
                let path = FormEncoding.decode(Array("path=\(parts[3])".utf8))?.first?.value
            else { return nil }
            state = .completed(session, returnPath: path)
        default:
            return nil
        }
    }

    var text: String {
        let start = (mode == .formPost ? "p" : "") + String(time, radix: 16) + "."
        switch state {
        case .pending(let binding): return start + binding.reveal()
        case .completed(let session, let path):
            return start + "done." + session.rawValue + "." + Self.escaped(path)
        }
    }

    // A dot in the path would be read as a separator.
    private static func escaped(_ path: String) -> String {
        FormEncoding.escape(path).replacing(".", with: "%2E")
    }
}
