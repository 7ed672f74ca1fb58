package import IdentityHTTP
package import IdentityKit

/// Decides what the answer of a revocation endpoint means (RFC 7009 section 2.2): bytes in, decision out.
package enum RevocationResponse: Sendable {
    /// The token is good no more; a provider says so of tokens that it does not know, too.
    case revoked
    /// The provider does not revoke tokens of this kind.
    case unsupportedType

    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - sent: What the request carried, the token first of all, which a failure must not repeat.
    ///   - clientRefusal: What a failure says about the client; nil where it says nothing about it.
    /// - Throws: `IdentityError` when the token may still be good.
    package init(
        _ response: HTTPResponse,
        hiding sent: RedactedValues = RedactedValues(),
        clientRefusal: (TokenFailure) -> IdentityError? = { _ in nil }
    ) throws(IdentityError) {
        if response.status == 200 || response.status == 204 {
            self = .revoked
            return
        }
        let object = (try? JSONValue(parsing: response.body))?.object
        let error = object?["error"]?.string
        if response.status == 400, error == "unsupported_token_type" {
            self = .unsupportedType
            return
        }
        let failure = TokenFailure(
            grant: .refreshToken,
            status: response.status,
            headers: response.headers,
            error: error,
            errorDescription: object?["error_description"]?.string,
            errorURI: object?["error_uri"]?.string,
            isJSON: object != nil,
            sent: sent,
            endpoint: "revocation endpoint",
            endpointMember: "endpoints.revocation"
        )
        throw clientRefusal(failure) ?? failure.refusedRevocation
    }
}

extension TokenFailure {
    /// What a failed revocation means: the session has ended all the same, the token may live on.
    fileprivate var refusedRevocation: IdentityError {
        let hint = "The session has ended here. The token stays valid at the provider until it expires."
        if status == 429 || status >= 500 {
            return make(
                .retryLater,
                .providerUnavailable,
                "The provider cannot revoke tokens at the moment (HTTP \(status)).",
                hint,
                reference: "RFC 7009 section 2.2.1"
            )
        }
        if error == "invalid_client" {
            return make(
                .configuration,
                .invalidClient,
                "The provider does not know this client or refuses its secret.",
                "Check clientID, clientSecret and clientAuthentication.",
                reference: "RFC 7009 section 2.2.1"
            )
        }
        return make(
            .rejected,
            .unexpectedResponse,
            "The provider refused to revoke a token (HTTP \(status)).",
            "\(hint) Check endpoints.revocation.",
            reference: "RFC 7009 section 2.2.1"
        )
    }
}
