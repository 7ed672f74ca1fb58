internal import IdentityHTTP
internal import IdentityKit

/// An answer of one of the storefront's controllers, whose form nobody has published: tokens and errors are looked for where
/// related systems put them.
struct SFCCResponse: Sendable {
    let response: HTTPResponse
    let wasRedirected: Bool
    let object: JSONObject?
    private let sent: RedactedValues

    init(_ page: SFCCHTTPClient.Page, hidingIn secrets: [Secret]) {
        response = page.response
        wasRedirected = page.wasRedirected
        object = (try? JSONValue(parsing: page.response.body))?.object
        sent = RedactedValues(secrets: secrets + page.cookies)
    }

    init(_ page: SFCCHTTPClient.Page, hiding sent: RedactedValues) {
        response = page.response
        wasRedirected = page.wasRedirected
        object = (try? JSONValue(parsing: page.response.body))?.object
        self.sent = sent
    }

    /// Checks that the first controller has done its part.
    ///
    /// That is JSON without an error, an empty answer that only sets cookies, or a redirect within the storefront, whatever
    /// page that leads to: whether somebody is logged in, the second controller tells.
    func checkCodeExchange() throws(IdentityError) {
        if let refusal { throw refusal }
        guard object != nil || wasRedirected || response.body.isEmpty else { throw unexpected }
    }

    /// The token and what stands beside it.
    ///
    /// - Returns: The `Authorization` header's token first, then the configured places; nil when there is none.
    func token(_ paths: [String]) throws(IdentityError) -> Secret? {
        if let header = response.headers["Authorization"], let token = Self.bearer(header) { return Secret(token) }
        for path in paths {
            guard let text = value(at: path)?.string, !text.isEmpty else { continue }
            return Secret(Self.bearer(text) ?? text)
        }
        return nil
    }

    /// A member that stands at the top or below `data` or `result`.
    func beside(_ name: String) -> JSONValue? {
        [object?[name], object?["data"]?[name], object?["result"]?[name]].lazy.compactMap { $0 }.first { !$0.isNull }
    }

    private func value(at path: String) -> JSONValue? {
        guard let object else { return nil }
        return path.utf8.split(separator: UInt8(ascii: ".")).reduce(JSONValue.object(object)) { value, name in
            value?[String(decoding: Array(name), as: UTF8.self)]
        }
    }

    private static func bearer(_ text: String) -> String? {
        let scheme = text.utf8.prefix(7)
        guard scheme.elementsEqual("bearer ".utf8, by: { ASCII.lowercased($0) == $1 }) else { return nil }
        return ResolvedBoltConfiguration.trimmed(String(decoding: Array(text.utf8.dropFirst(7)), as: UTF8.self))
    }

    // MARK: Refusals

    /// What the storefront refused and why, also where it says so with status 200; nil when it did not.
    var refusal: IdentityError? {
        let (name, message) = marker
        guard !(200..<300).contains(response.status) || name != nil || message != nil else { return nil }
        let isOutage = response.status >= 500 || response.status == 429
        let isDeadGrant = name.map { $0.isIdentical(to: "invalid_grant") } ?? false
        return IdentityError(
            isOutage ? .retryLater : .rejected,
            isOutage ? .providerUnavailable : isDeadGrant ? .invalidGrant : .authorizationRefused,
            isOutage
                ? "The SFCC storefront is not available (HTTP \(response.status))."
                : "The SFCC storefront refused the login (HTTP \(response.status)).",
            hint: isOutage
                ? "Try again in a while, with a new login."
                : "Start the login again. If it goes on, compare host, site and parameters with the storefront's controllers.",
            providerAnswer: answer(name, message)
        )
    }

    /// An answer that is neither JSON nor anything else that is known, such as a page of the storefront.
    ///
    /// A page passes as a maintenance window does; JSON without a token does not.
    var unexpected: IdentityError {
        let isPage = response.body.first { $0 > 0x20 } == UInt8(ascii: "<")
        return IdentityError(
            isPage ? .retryLater : .rejected,
            .unexpectedResponse,
            "The SFCC storefront answered with something that is no token and no error, perhaps a page.",
            hint: "Compare site, locale and controllers with the storefront's own URLs.",
            providerAnswer: answer(nil, nil)
        )
    }

    /// The marks of an error in the bodies of controllers, OCAPI and SLAS.
    private var marker: (name: String?, message: String?) {
        guard let object else { return (nil, nil) }
        let message = ["errorMessage", "error_description", "message"].lazy.compactMap { object[$0]?.string }
            .first { !$0.isEmpty }
        if let fault = object["fault"]?.object {
            return (fault["type"]?.string ?? "fault", fault["message"]?.string)
        }
        switch object["error"] {
        case .string(let name) where !name.isEmpty: return (name, message)
        case .object(let error):
            return (
                error["code"]?.string ?? error["type"]?.string ?? error["error"]?.string ?? "error",
                error["message"]?.string ?? message
            )
        case .bool(true), .number, .array: return ("error", message)
        default: break
        }
        if object["success"]?.bool == false { return ("success false", message) }
        if let code = object["status_code"], !code.isNull { return (code.string ?? code.number?.text ?? "", message) }
        if let text = object["errorMessage"]?.string, !text.isEmpty { return (nil, text) }
        // A message alone may be good news: it is bad where nothing else says that all is well.
        let isGood = object["success"]?.bool == true || beside("expires_in") != nil || hasToken
        return (nil, isGood ? nil : object["message"]?.string)
    }

    private var hasToken: Bool {
        (try? token(SFCCConfiguration.defaultTokenJSONPaths)) != nil
    }

    private func answer(_ name: String?, _ message: String?) -> IdentityError.ProviderAnswer {
        IdentityError.ProviderAnswer(
            error: name.map(sent.hidden),
            errorDescription: message.map(sent.hidden),
            status: response.status,
            traceID: response.headers["X-Dw-Request-Base-Id"].map(sent.hidden)
        )
    }
}
