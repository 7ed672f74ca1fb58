internal import IdentityHTTP
internal import IdentityKit

/// Whether a page of this app has sent a request, as protection against cross-site request forgery.
///
/// 1. If the request has `Sec-Fetch-Site` (Fetch Metadata), the value must be `same-origin`.
/// 2. Otherwise, if the request has `Origin`, the value must equal the public origin; `null` counts as another site.
/// 3. If both headers are missing, the request must contain the CSRF token (``WebContext/csrfToken``), as a form field or a header.
enum CSRFCheck: Equatable {
    case ownPage
    /// The headers name another site, or the CSRF token is wrong.
    case otherSite
    /// Both headers are missing, and no CSRF token can be compared: the request has no token, or the browser has no session and no guest.
    case unknown

    static let field = "csrf_token"
    static let header = "X-CSRF-Token"

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
