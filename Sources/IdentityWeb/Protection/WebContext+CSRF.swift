internal import IdentityHTTP
internal import IdentityKit

extension WebContext {
    /// Refuses a request that another site may have sent with this browser's cookies (cross-site request forgery).
    ///
    /// Call this function in every handler that changes something. A request with no `Sec-Fetch-Site` and no `Origin` must contain the CSRF
    /// token (``csrfToken``) in the form field `csrf_token` or the header `X-CSRF-Token`.
    ///
    /// - Throws: ``WebResponseError`` with status 403 and the page ``SignInPage/Content/requestRefused``.
    public func refuseCSRF() throws(WebResponseError) {
        guard csrfCheck != .ownPage else { return }
        throw requestRefused
    }

    /// The 403 response to a request that may come from another site, or that would begin a sign-in in an image, a frame or a script.
    var requestRefused: WebResponseError { WebResponseError(routes.page(.requestRefused)) }

    var csrfCheck: CSRFCheck {
        CSRFCheck(request, origin: routes.table.origin, token: csrfToken)
    }
}
