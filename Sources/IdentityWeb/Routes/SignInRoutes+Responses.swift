internal import FoundationEssentials
internal import IdentityHTTP
internal import IdentityKit

extension SignInRoutes {
    /// A page for buyers, with the security and cache headers that all pages of the routes have.
    ///
    /// If `status` is nil, `content` determines the status. `targets` are the origins to which the response to the page's form may
    /// redirect: Chromium checks these origins against `form-action`, too.
    func page(
        _ content: SignInPage.Content,
        status: Int? = nil,
        correlationID: String? = nil,
        returningTo returnPath: String? = nil,
        targets: [String] = []
    ) -> WebResponse {
        let page = SignInPage(
            content: content,
            status: status,
            correlationID: correlationID,
            signInLink: table.loginPath(returningTo: returnPath),
            homeLink: configuration.homePath
        )
        var response = WebResponse.html(configuration.pages.html(for: page), status: page.status)
        let policy =
            "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; base-uri 'none'; "
            + "form-action \((["'self'"] + targets).joined(separator: " ")); frame-ancestors 'none'"
        response.headers.replace("Content-Security-Policy", policy)
        response.headers.replace("Cache-Control", "no-store")
        // With `no-referrer`, browsers would send `Origin: null` with the page's own forms, and `CSRFCheck` could refuse these forms.
        response.headers.replace("Referrer-Policy", "same-origin")
        response.headers.replace("X-Content-Type-Options", "nosniff")
        if let pause = page.retryAfter { response.headers.replace("Retry-After", Self.seconds(pause)) }
        return response
    }

    func page(for error: IdentityError, returningTo returnPath: String?) -> WebResponse {
        page(
            SignInPage.Content(error),
            status: error.httpStatus,
            correlationID: error.correlationID,
            returningTo: returnPath
        )
    }

    func json(_ error: IdentityError) -> WebResponse {
        let object: JSONObject = [
            "error": .string(error.kind.rawValue), "message": .string(error.buyerSentence),
            "correlation_id": .string(error.correlationID),
        ]
        var response = json(object, status: error.httpStatus)
        if let pause = error.httpRetryAfter { response.headers.replace("Retry-After", Self.seconds(pause)) }
        return response
    }

    func json(_ object: JSONObject, status: Int = 200) -> WebResponse {
        var response = WebResponse.json(object, status: status)
        response.headers.replace("X-Content-Type-Options", "nosniff")
        response.headers.replace("Cross-Origin-Resource-Policy", "same-origin")
        return response
    }

    func redirect(to location: String) throws -> WebResponse {
        var response = try WebResponse.redirect(to: location)
        response.headers.replace("Cache-Control", "no-store")
        // The URL of a callback contains the authorization code. The browser must not send it to another site in `Referer`.
        response.headers.replace("Referrer-Policy", "no-referrer")
        return response
    }

    private static func seconds(_ duration: Duration) -> String {
        String(max(1, Int(duration.timeInterval.rounded(.up))))
    }
}
