public import IdentityHTTP
internal import IdentityKit

/// A request of a browser or provider to the app.
///
/// An adapter creates it from the request of the server framework:
///
/// ```swift
/// let request = WebRequest(
///     method: HTTPMethod(rawValue: "GET"), target: "/auth/login/shopify?return=/cart", headers: headers,
///     clientAddress: "203.0.113.7")
/// ```
///
/// A printed or dumped request shows only the method, the path, the names of the headers and the size of the body.
public struct WebRequest: Sendable {
    /// The largest body that the routes read, in bytes.
    ///
    /// If a body is larger, an adapter may respond with status 413 itself. The adapter may also stop reading after `maximumBodyBytes + 1`
    /// bytes and pass these bytes. The routes then respond with status 413.
    public static let maximumBodyBytes = 64 << 10

    /// The method.
    public var method: HTTPMethod
    /// The request target in origin form: path and query as they arrived, still encoded (RFC 9112 section 3.2.1).
    public var target: String
    /// All header fields, including `Cookie`; HTTP/2 may split the cookies over several `Cookie` fields.
    public var headers: HTTPHeaders
    /// The body; empty if the request has no body.
    public var body: [UInt8]
    /// The address of the client; nil if it is not known.
    ///
    /// Without an address, the limit of logins (``SignInRoutes/LoginLimit``) does not apply.
    /// Behind a proxy, pass what the trusted proxy reported, never an unchecked `X-Forwarded-For`.
    public var clientAddress: String?

    /// Creates a request.
    public init(
        method: HTTPMethod,
        target: String,
        headers: HTTPHeaders = HTTPHeaders(),
        body: [UInt8] = [],
        clientAddress: String? = nil
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
        self.clientAddress = clientAddress
    }

    /// The path of the target, still encoded.
    public var path: String {
        String(decoding: target.utf8.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
    }

    /// The decoded value of a query parameter; nil if it is absent or repeated, or if the query is malformed.
    public func queryValue(_ name: String) -> String? {
        Self.only(name, in: FormEncoding.decode(Array(target.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst())))
    }

    /// The decoded value of a field of an `application/x-www-form-urlencoded` body; nil if it is absent or repeated, or if
    /// the body is malformed.
    public func formValue(_ name: String) -> String? {
        Self.only(name, in: MediaType.form.matches(headers["Content-Type"]) ? FormEncoding.decode(body) : nil)
    }

    /// The value of a cookie; nil if the browser sent no cookie with this name.
    ///
    /// Nil also if the browser sent two cookies with this name and different values, because an attacker may have set one of them.
    public func cookie(_ name: String) -> String? {
        RequestCookies(headers).value(of: name)
    }

    /// Whether the client prefers JSON: its `Accept` names `application/json` and does not name `text/html`.
    var prefersJSON: Bool {
        let types = headers.values(for: "Accept").flatMap { $0.lowercased().split(separator: ",") }
            .map { type in String(type.prefix { $0 != ";" }.filter { $0 != " " }) }
        return types.contains("application/json") && !types.contains("text/html")
    }

    /// Whether the request is for a part of a page, such as an image, a frame or data for a script.
    ///
    /// The header `Sec-Fetch-Dest` (Fetch Metadata) decides; the result is false without it. The destination `empty` with the mode
    /// `navigate` counts as a whole page: a service worker sends these values when it passes on the request for a page.
    var isForPartOfPage: Bool {
        let isNavigation = headers["Sec-Fetch-Mode"]?.isIdentical(to: "navigate") == true
        return headers.values(for: "Sec-Fetch-Dest").contains { destination in
            !destination.isIdentical(to: "document") && !(isNavigation && destination.isIdentical(to: "empty"))
        }
    }

    private static func only(_ name: String, in fields: [(name: String, value: String)]?) -> String? {
        let found = (fields ?? []).filter { $0.name.isIdentical(to: name) }
        return found.count == 1 ? found[0].value : nil
    }
}

extension WebRequest: Redacted {
    /// The method, the path, the names of the headers and the size of the body; the other parts may contain codes, cookies and tokens.
    public var description: String {
        "\(method) \(path)\(target.utf8.contains(UInt8(ascii: "?")) ? "?…" : "") \(headers) body: \(body.count) bytes"
    }
}
