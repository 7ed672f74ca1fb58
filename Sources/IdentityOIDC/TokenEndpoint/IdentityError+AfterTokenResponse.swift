internal import IdentityHTTP
package import IdentityKit

extension IdentityError {
    /// This error, which occurred after the token endpoint responded; a failure of metadata or keys becomes a temporary error.
    ///
    /// The token response can be validated later, when metadata and keys are available again. `providerResponse` of the temporary error is
    /// nil, because a reader would take the response of the metadata or key endpoint for the response of the token endpoint.
    package var afterTokenResponse: IdentityError {
        let ofOthers: [Code] = [.discoveryFailed, .discoveryIssuerMismatch, .redirectRefused, .unsupportedByProvider]
        guard kind == .retryLater || ofOthers.contains(code) || cause is HTTPTransportError else { return self }
        return IdentityError(.retryLater, code, message, hint: hint, reference: reference, retryAfter: retryAfter)
    }
}
