package import IdentityHTTP
package import IdentityKit

/// A successful answer to a pushed authorization request (RFC 9126 section 2.2): bytes in, a reference or a failure out.
package enum PushedAuthorizationResponse: Sendable {
    /// What stands for the request; good for one login.
    case reference(Secret)
    case failure(TokenFailure)

    /// How long the reference is good at most; it is used at once.
    private static let maximumLifetime = 7 * 86_400.0

    /// Reads an answer: 201 and both members, nothing less.
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - sent: What the request carried, which a failure must not repeat.
    /// - Throws: `IdentityError` for a success that is none.
    package init(_ response: HTTPResponse, hiding sent: RedactedValues = RedactedValues()) throws(IdentityError) {
        switch try TokenEndpointResponse(response, to: .authorizationCode, hiding: sent) {
        case .failure(var failure):
            failure.endpoint = "pushed authorization request endpoint"
            failure.endpointMember = "endpoints.pushedAuthorization"
            self = .failure(failure)
        case .success(let object):
            guard response.status == 201 else { throw Self.invalid("a status other than 201") }
            guard let reference = object["request_uri"]?.string, (1...4096).contains(reference.utf8.count),
                reference.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
            else { throw Self.invalid("no usable request_uri") }
            guard let lifetime = object["expires_in"]?.number?.double, lifetime > 0, lifetime <= Self.maximumLifetime
            else { throw Self.invalid("no usable expires_in") }
            self = .reference(Secret(reference))
        }
    }

    private static func invalid(_ problem: String) -> IdentityError {
        IdentityError(
            .rejected,
            .unexpectedResponse,
            "The provider's answer to the pushed authorization request has \(problem).",
            hint: "Check endpoints.pushedAuthorization.",
            reference: "RFC 9126 section 2.2"
        )
    }
}

extension TokenFailure {
    /// What the failure of a pushed authorization request means: the words of the authorization endpoint and of the token
    /// endpoint both (RFC 9126 section 2.3), nil where it is the token endpoint's.
    package var pushedRequestError: IdentityError? {
        guard (400..<500).contains(status), status != 429 else { return nil }
        switch error ?? "" {
        case "" where status == 413:
            return make(
                .configuration,
                .invalidRequest,
                "The authorization request is larger than the provider takes.",
                "Shorten scopes or authorizationParameters.",
                reference: "RFC 9126 section 2.3"
            )
        case "invalid_request":
            return make(
                .configuration,
                .invalidRequest,
                "The provider refuses a parameter of the authorization request.",
                "Compare redirectURI, scopes and authorizationParameters with the client at the provider.",
                reference: "RFC 9126 section 2.3"
            )
        case "access_denied", "login_required", "interaction_required", "consent_required",
            "account_selection_required":
            return AuthorizationErrorResponse.error(for: providerAnswer)
        default: return nil
        }
    }
}
