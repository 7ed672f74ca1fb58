internal import FoundationEssentials
internal import IdentityHTTP
internal import IdentityKit

/// The value of the cookie of one login: `TIME.BINDING`, and after the login is complete `TIME.done.SESSION.PATH`.
///
/// `TIME` is ``time`` in hexadecimal.
struct LoginCookieValue {
    enum State {
        /// The login has begun; the binding proves that a callback comes from the same browser.
        case pending(Secret)
        /// The login is complete: it created this session and sent the browser to this path, which is empty if it was too long.
        case completed(SessionReference, returnPath: String)
    }

    /// The maximum size of the escaped path, in bytes: servers and proxies limit the size of all cookies of a request together.
    private static let maximumPathBytes = 256

    /// When the login expires, in seconds since 1970.
    ///
    /// If a browser has too many login cookies, those of completed logins are removed first, then those of the logins that expire first.
    let time: Int
    let state: State

    /// The binding of a login that is not complete; nil after the login is complete.
    var binding: Secret? { if case .pending(let binding) = state { binding } else { nil } }

    init(_ login: StartedLogin) {
        time = Int(login.expiresAt.timeIntervalSince1970)
        state = .pending(login.browserBinding)
    }

    private init(time: Int, state: State) {
        self.time = time
        self.state = state
    }

    /// The value after the login is complete; a long path is omitted, and then a repeated callback leads to the home page.
    func completed(_ session: SessionReference, returnPath: String) -> LoginCookieValue {
        let isShort = FormEncoding.escape(returnPath).utf8.count <= Self.maximumPathBytes
        return LoginCookieValue(time: time, state: .completed(session, returnPath: isShort ? returnPath : ""))
    }

    /// Reads a value; nil if the text has another form.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
        guard let time = parts.first.flatMap({ Int($0, radix: 16) }) else { return nil }
        self.time = time
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
        let start = String(time, radix: 16) + "."
        switch state {
        case .pending(let binding): return start + binding.reveal()
        case .completed(let session, let path):
            // Dots separate the parts of the value, so the dots of the path are escaped.
            let escaped = FormEncoding.escape(path).split(separator: ".", omittingEmptySubsequences: false)
            return start + "done." + session.rawValue + "." + escaped.joined(separator: "%2E")
        }
    }
}
