public import IdentityHTTP
public import IdentityKit
internal import Synchronization

/// A simulated buyer: logs in at the sandbox over HTTP like a person with a browser.
///
/// The buyer follows redirects, keeps cookies, fills in the form on each page, and stops at the redirect that leads back to the app.
/// Because of the cookies, a second login may show no page, as in a real browser; see ``forgetCookies()``.
///
/// The buyer conforms to `FormPostPresenting`: pass it to a login flow in place of a browser.
///
/// ```swift
/// let flow = LoginFlow(provider: "shopify", sessions: sessions, presenter: SandboxBuyer())
/// let session = try await flow.login()
/// ```
public final class SandboxBuyer: Sendable {
    /// The actions of the buyer on the login page.
    public enum Behaviour: Sendable, Equatable {
        /// Signs in.
        case signIn
        /// Types a wrong code first, then the right one.
        case mistypeCode
        /// Presses the page's Cancel or Refuse button: the login fails with `access_denied`.
        case deny
        /// Closes the browser on the login page: the buyer sends no callback, and the call throws `CancellationError`.
        case close
    }

    /// The e-mail address with which the buyer logs in.
    public let email: String
    /// The actions of this buyer on the login page.
    public let behaviour: Behaviour

    private let transport: (any HTTPTransport)?
    static let shared = Result { () throws(HTTPTransportError) in try CurlTransport() }
    /// The limits of every request: a long timeout, as in a browser.
    static let limits = HTTPLimits(firstByteTimeout: .seconds(60), totalTimeout: .seconds(60))
    private let jars = Mutex<[String: CookieJar]>([:])

    /// Creates a buyer.
    ///
    /// - Parameters:
    ///   - email: The e-mail address with which the buyer logs in; by default the address of ``SandboxBuyerAccount/ada``.
    ///   - behaviour: What the buyer does on the login page; by default signs in.
    ///   - transport: The HTTP transport; by default libcurl.
    public init(
        email: String = SandboxBuyerAccount.ada.email,
        behaviour: Behaviour = .signIn,
        transport: (any HTTPTransport)? = nil
    ) {
        self.email = email
        self.behaviour = behaviour
        self.transport = transport
    }

    /// Forgets all cookies, so that the next login shows its page again.
    public func forgetCookies() {
        jars.withLock { $0.removeAll() }
    }

    /// Opens the login page and acts as ``behaviour`` says.
    ///
    /// - Parameters:
    ///   - url: The authorization URL.
    ///   - redirectURI: The app's redirect URI. If it is nil, the first redirect or posted form to another origin is the callback.
    /// - Returns: The URL of the callback, byte for byte as the provider sent it. For `response_mode=form_post`, this method
    ///   posts the form to the redirect URI, and returns that URI with the form's fields as its query.
    /// - Throws: ``SandboxBuyerError`` when a page is not as expected, `CancellationError` for ``Behaviour/close``, `HTTPURLError` for
    ///   an invalid URL, the transport's error when there is no response.
    public func login(at url: String, redirectURI: String?) async throws -> String {
        let callback = try await callback(at: url, redirectURI: redirectURI)
        if callback.body != nil { _ = try await deliver(callback) }
        return callback.urlWithFields
    }

    /// Logs in as ``login(at:redirectURI:)`` does, without sending the callback to the app.
    ///
    /// - Returns: The callback that the browser would send to the app; see ``deliver(_:)``.
    /// - Throws: In the same cases as ``login(at:redirectURI:)``.
    public func callback(at url: String, redirectURI: String?) async throws -> SandboxCallback {
        let end = try await walk(from: url, redirectURI)
        guard case .callback(let callback) = end else {
            throw SandboxBuyerError("The login ended on a page and did not redirect to the app.", 200)
        }
        return callback
    }

    /// Sends a callback to the app, as the browser does: a GET without the URL's fragment, or a POST for `response_mode=form_post`.
    ///
    /// - Returns: The app's response; redirects are not followed.
    /// - Throws: `HTTPURLError` for an invalid URL, the transport's error when there is no response.
    public func deliver(_ callback: SandboxCallback) async throws -> HTTPResponse {
        let url = try HTTPURL(String(callback.url.prefix { $0 != "#" }))
        return try await send(callback.body == nil ? .get : .post, url, callback.body)
    }

    /// Answers a device login (RFC 8628): enters the code, signs in, and approves the login; ``Behaviour/deny`` refuses it.
    ///
    /// - Parameters:
    ///   - url: `verification_uri`, or `verification_uri_complete` if no code needs to be typed.
    ///   - userCode: The code that the device shows.
    /// - Throws: In the same cases as ``login(at:redirectURI:)``.
    public func answerDevice(at url: String, userCode: String? = nil) async throws {
        guard case .page = try await walk(from: url, nil, userCode: userCode) else {
            throw SandboxBuyerError("The device page led to another origin.", 0)
        }
    }

    /// Follows redirects and forms to the app's redirect URI, or to a page without a form.
    private func walk(from url: String, _ redirectURI: String?, userCode: String? = nil) async throws -> Place {
        var page = try await open(.get, url, nil, redirectURI)
        var hasMistyped = false
        for _ in 0..<8 {
            guard case .page(let location, let status, let text) = page else { return page }
            guard status == 200 else {
                throw SandboxBuyerError("The login led to a page with status \(status).", status)
            }
            guard let form = HTMLForm(page: text) else { return page }
            let target = Self.resolve(form.action, against: location)
            if form.method == "post", let url = try? HTTPURL(location), Self.isCallback(target, redirectURI, from: url)
            {
                let fields = form.inputs.compactMap { input in
                    input.attributes["name"].map { (name: $0, value: input.attributes["value"] ?? "") }
                }
                return .callback(SandboxCallback(url: target, body: Array(FormText.encode(fields).utf8)))
            }
            if behaviour == .close { throw CancellationError() }
            let body = FormText.encode(fill(form, text, userCode, &hasMistyped))
            page = try await open(form.method == "post" ? .post : .get, target, Array(body.utf8), redirectURI)
        }
        throw SandboxBuyerError("The login has more than 7 forms, which is the limit of SandboxBuyer.", 0)
    }

    // MARK: Filling in

    private func fill(
        _ form: HTMLForm,
        _ page: String,
        _ userCode: String?,
        _ hasMistyped: inout Bool
    ) -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        for input in form.inputs {
            guard let name = input.attributes["name"] else { continue }
            if input.attributes["type"] == "email" {
                fields.append((name, email))
            } else if name == "user_code", let userCode {
                fields.append((name, userCode))
            } else if input.attributes["autocomplete"] == "one-time-code" {
                let right = HTMLForm.attribute("data-sandbox-code", in: page) ?? ""
                let isWrong = behaviour == .mistypeCode && !hasMistyped
                hasMistyped = hasMistyped || isWrong
                fields.append((name, isWrong ? (right == "000000" ? "111111" : "000000") : right))
            } else {
                fields.append((name, input.attributes["value"] ?? ""))
            }
        }
        let wanted = behaviour == .deny ? "cancel" : "continue"
        let button = form.buttons.first { $0.attributes["value"] == wanted } ?? form.buttons.first
        if let name = button?.attributes["name"] { fields.append((name, button?.attributes["value"] ?? "")) }
        return fields
    }

    // MARK: Browsing

    private enum Place {
        case callback(SandboxCallback)
        case page(location: String, status: Int, text: String)
    }

    private func open(
        _ method: HTTPMethod,
        _ start: String,
        _ body: [UInt8]?,
        _ redirectURI: String?
    ) async throws -> Place {
        var (method, location, body) = (method, start, body)
        for _ in 0..<12 {
            let url = try HTTPURL(location)
            let response = try await send(method, url, body)
            guard (300..<400).contains(response.status), let target = response.headers["location"] else {
                return .page(
                    location: location,
                    status: response.status,
                    text: String(decoding: response.body, as: UTF8.self)
                )
            }
            let next = Self.resolve(target, against: location)
            if Self.isCallback(next, redirectURI, from: url) { return .callback(SandboxCallback(url: next, body: nil)) }
            if response.status != 307, response.status != 308 { (method, body) = (.get, nil) }
            location = next
        }
        throw SandboxBuyerError("The login redirected 12 times in a row.", 0)
    }

    private func send(_ method: HTTPMethod, _ url: HTTPURL, _ body: [UInt8]?) async throws -> HTTPResponse {
        var request = HTTPRequest(method: method, url: url, limits: Self.limits, allowsLoopbackHTTP: true)
        try request.headers.set("User-Agent", "SandboxBuyer/1 (automatic buyer of the IdentityKit sandbox)")
        try request.headers.set("Accept", "text/html")
        if method == .post {
            request.body = body
            try request.headers.set("Content-Type", MediaType.form.rawValue)
        }
        let cookies = jars.withLock { $0[url.origin]?.header(for: url) }
        if let cookies { try request.headers.set("Cookie", cookies) }
        let response = try await (transport ?? Self.shared.get()).send(request)
        jars.withLock { $0[url.origin, default: CookieJar()].absorb(response, from: url) }
        return response
    }

    private static func isCallback(_ target: String, _ redirectURI: String?, from url: HTTPURL) -> Bool {
        if let redirectURI {
            guard target.hasPrefix(redirectURI) else { return false }
            let next = target.dropFirst(redirectURI.count).first
            return next.map { "?&#".contains($0) } ?? true
        }
        guard let next = try? HTTPURL(target) else { return true }
        return next.origin != url.origin
    }

    private static func resolve(_ reference: String, against base: String) -> String {
        guard reference.hasPrefix("/"), let url = try? HTTPURL(base) else { return reference }
        return url.origin + reference
    }
}

/// The simulated buyer could not continue the login.
public struct SandboxBuyerError: Error, Sendable, CustomStringConvertible {
    /// The reason.
    public let description: String
    /// The HTTP status of the page on which the login ended; 0 if the error does not belong to a single page.
    public let status: Int

    init(_ description: String, _ status: Int) {
        self.description = description
        self.status = status
    }
}

extension SandboxBuyer: FormPostPresenting {
    /// Logs in at the login page, and returns the URL of the callback.
    ///
    /// For `response_mode=form_post`, this method does not post the form. The form's fields are the query of the returned URL.
    ///
    /// - Throws: The errors of ``callback(at:redirectURI:)``, and `IdentityError` if the login cannot begin.
    public func present(_ login: PresentedLogin) async throws -> String {
        try await callback(of: login).urlWithFields
    }

    /// Logs in at the login page; for `response_mode=form_post`, returns the form's body without posting the form.
    ///
    /// - Throws: The same errors as ``present(_:)``.
    public func presentCatchingForms(_ login: PresentedLogin) async throws -> PresentedCallback {
        let callback = try await callback(of: login)
        return PresentedCallback(url: callback.url, form: callback.body)
    }

    private func callback(of login: PresentedLogin) async throws -> SandboxCallback {
        let url = try await login.authorizationURL(redirectURI: login.redirectURI)
        return try await callback(at: url.text, redirectURI: login.redirectURI)
    }
}
