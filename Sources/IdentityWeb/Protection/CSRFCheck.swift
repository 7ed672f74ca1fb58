internal import IdentityHTTP
internal import IdentityKit

/// The site whose page has sent a request that changes something, as protection against cross-site request forgery.
///
/// 1. If the request has `Sec-Fetch-Site` (Fetch Metadata), only the value `same-origin` passes.
/// 2. Otherwise, if it has `Origin`, the value must equal the public origin; `null` counts as another site.
/// 3. If both headers are missing, the request must contain the CSRF token (``WebContext/csrfToken``), as a form field or a header.
enum CSRFCheck: Equatable {
    /// A page of this app.
    case ownPage
    /// The headers do not name this app's origin, or the CSRF token is wrong.
    case otherSite
    /// The request has neither `Sec-Fetch-Site` nor `Origin`, and no token can be compared.
    ///
    /// Either the request contains no token, or the browser has neither a session cookie nor a guest cookie.
    case unknown

    /// The names of the form field and of the header that contain the token.
    static let field = "csrf_token"
    static let header = "X-CSRF-Token"

    /// Determines where a request comes from.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - origin: The public origin of the app.
    ///   - token: The expected token, ``WebContext/csrfToken``; nil if the browser has neither a session cookie nor a guest cookie.
    init(_ request: WebRequest, origin: String, token: Secret?) {
        let sites = request.headers.values(for: "Sec-Fetch-Site")
        let origins = request.headers.values(for: "Origin")
        if !sites.isEmpty {
            self = sites.allSatisfy { $0.isIdentical(to: "same-origin") } ? .ownPage : .otherSite
        } else if !origins.isEmpty {
            self = origins.allSatisfy { $0.isIdentical(to: origin) } ? .ownPage : .otherSite
        } else if let token, let given = request.formValue(Self.field) ?? request.headers[Self.header] {
            self = token.isEqual(to: Secret(given)) ? .ownPage : .otherSite
        } else {
            self = .unknown
        }
    }
}
