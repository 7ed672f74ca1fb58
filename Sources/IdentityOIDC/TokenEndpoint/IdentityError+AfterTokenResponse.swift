internal import IdentityHTTP
package import IdentityKit

extension IdentityError {
    /// This error, adapted to a failure that happened after the token endpoint responded.
    ///
    /// A failure of metadata or keys is temporary here, because the token response can be validated later. The error does not contain
    /// the response of the metadata or key endpoint, so that nobody takes it for the response of the token endpoint.
    package var afterTokenResponse: IdentityError {
        let ofOthers: [Code] = [.discoveryFailed, .discoveryIssuerMismatch, .redirectRefused, .unsupportedByProvider]
        guard kind == .retryLater || ofOthers.contains(code) || cause is HTTPTransportError else { return self }
        return IdentityError(.retryLater, code, message, hint: hint, reference: reference, retryAfter: retryAfter)
    }
}
