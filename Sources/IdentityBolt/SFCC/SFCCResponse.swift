internal import IdentityHTTP
internal import IdentityKit

/// A response of one of the storefront's controllers.
///
/// Bolt does not document the format, so tokens and errors are read from the places that OAuth and Salesforce's APIs use.
struct SFCCResponse: Sendable {
    let response: HTTPResponse
    let wasRedirected: Bool
    let object: JSONObject?
    private let tokenPaths: [String]
    private let redacted: RequestSecrets

    init(_ result: SFCCHTTPClient.Result, tokenAt paths: [String], hiding redacted: RequestSecrets) {
        response = result.response
        wasRedirected = result.wasRedirected
        object = (try? JSONValue(parsing: result.response.body))?.object
        tokenPaths = paths
        self.redacted = redacted
    }

    // A success contains no error, and is a JSON object, an empty response, or a response after a redirect within the storefront. A success
    // does not prove that the buyer is signed in: only the response to the token exchange shows this.
    func checkCodeExchange() throws(IdentityError) {
        if let error { throw error }
        guard object != nil || wasRedirected || response.body.isEmpty else {
            throw unexpected(
                "The SFCC storefront's response to the code exchange is not a JSON object.",
                compare: "siteID, locale, controllerBasePath and codeExchangeAction (or endpoints.codeExchange)"
            )
        }
    }

    /// The token from the `Authorization` header, else the first token at one of the configured places; nil if the response has no token.
    var token: Secret? { token(at: tokenPaths) }

    private func token(at paths: [String]) -> Secret? {
        if let header = response.headers["Authorization"], let token = Self.bearer(header) { return Secret(token) }
        for path in paths {
            guard let text = value(at: path)?.string, !text.isEmpty else { continue }
            return Secret(Self.bearer(text) ?? text)
        }
        return nil
    }

    var hasToken: Bool { token?.isEmpty == false }

    func member(_ name: String) -> JSONValue? {
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

    var error: IdentityError? {
        let (name, message) = marker
        guard !(200..<300).contains(response.status) || name != nil || message != nil else { return nil }
        let isOutage = response.isOutage
        let isInvalidGrant = name.map { $0.isIdentical(to: "invalid_grant") } ?? false
        return IdentityError(
            isOutage ? .retryLater : .rejected,
            isOutage ? .providerUnavailable : isInvalidGrant ? .invalidGrant : .authorizationRefused,
            isOutage
                ? "The SFCC storefront cannot process the request at the moment (HTTP \(response.status))."
                : "The SFCC storefront rejected the request (HTTP \(response.status)).",
            hint: isOutage
                ? "Try again later. If a login failed, start the login again."
                : "Start the login again. If every login fails, compare the configured host, site, controller paths, query items and form "
                    + "fields with the storefront's controllers.",
            reference: "help.bolt.com/developers/sdks/ios-swift/sso-login, SFCC Integration",
            retryAfter: response.headers.retryAfter,
            providerResponse: providerResponse(name, message)
        )
    }

    var withoutToken: IdentityError {
        unexpected(
            "The SFCC storefront's response contains no error and no token (in the header Authorization or at a path of tokenJSONPaths).",
            compare: "siteID, locale, controllerBasePath and tokenExchangeAction (or endpoints.tokenExchange)",
            advice: " Compare tokenJSONPaths with the members of the response."
        )
    }

    // The kind of the error for an HTML page is `retryLater`, because the page may come from maintenance.
    private func unexpected(_ message: String, compare settings: String, advice: String = "") -> IdentityError {
        let isPage = response.body.first { $0 > 0x20 } == UInt8(ascii: "<")
        return IdentityError(
            isPage ? .retryLater : .rejected,
            .unexpectedResponse,
            message,
            hint: isPage
                ? "Try again later. If a login failed, start the login again. The response is an HTML page, perhaps because of "
                    + "maintenance. If later responses are HTML pages too, compare \(settings) with the storefront's own URLs."
                : "Compare \(settings) with the storefront's own URLs.\(advice)",
            reference: "help.bolt.com/developers/sdks/ios-swift/sso-login, SFCC Integration",
            providerResponse: providerResponse(nil, nil)
        )
    }

    /// The name and the message of the error in the body, in a format of a controller or of Salesforce's APIs OCAPI and SLAS.
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
        // Some controllers send the number 0 if there is no error.
        case .number(let number) where number.double == 0: break
        case .bool(true), .number, .array: return ("error", message)
        default: break
        }
        if object["success"]?.bool == false { return ("success false", message) }
        if let code = object["status_code"], !code.isNull { return (code.string ?? code.number?.text ?? "", message) }
        if let text = object["errorMessage"]?.string, !text.isEmpty { return (nil, text) }
        // A message is not an error if the response also contains success true, expires_in or a token.
        let isSuccess =
            object["success"]?.bool == true || member("expires_in") != nil
            || token(at: tokenPaths + SFCCConfiguration.defaultTokenJSONPaths) != nil
        return (nil, isSuccess ? nil : object["message"]?.string)
    }

    private func providerResponse(_ name: String?, _ message: String?) -> IdentityError.ProviderResponse {
        IdentityError.ProviderResponse(
            error: name,
            errorDescription: message,
            status: response.status,
            traceID: response.headers["X-Dw-Request-Base-Id"]
        ).hiding(redacted)
    }
}
