internal import IdentityKit

/// An endpoint of a provider; the raw value is the name of the configuration member in `endpoints` that sets the endpoint.
package enum ProviderEndpoint: String, Sendable {
    case authorization, token, pushedAuthorization, revocation, deviceAuthorization, userInfo
    case keySet = "jwks"

    var name: String { texts.name }
    var request: String { texts.request }

    var response: String {
        switch self {
        case .token: "token response"
        case .deviceAuthorization: "device authorization response"
        default: "response to the \(request)"
        }
    }

    var member: String { "endpoints.\(rawValue)" }

    var addressHint: String {
        "Check \(member) in the provider's configuration. If \(member) is not set, check the member that the address comes from: issuer, "
            + "preset and its members, or endpoints.discovery; at Shopify also shopDomain or shopID; at Bolt environment or endpoints.api."
    }

    /// The error for a response with a success status that cannot be used; `problem` continues the sentence "The token response …".
    func unusable(
        _ problem: String,
        _ code: IdentityError.Code = .tokenResponseInvalid,
        reference: String,
        cause: (any Error)? = nil
    ) -> IdentityError {
        IdentityError(
            .rejected,
            code,
            "The \(response) \(problem).",
            hint: "\(addressHint) If the address is right, report this error to the provider.",
            reference: reference,
            cause: cause
        )
    }

    var errorSection: String { texts.errorSection }

    private var texts: (name: String, request: String, errorSection: String) {
        switch self {
        case .authorization: ("authorization endpoint", "authorization request", "RFC 6749 section 4.1.2.1")
        case .token: ("token endpoint", "token request", "RFC 6749 section 5.2")
        case .pushedAuthorization:
            ("pushed authorization request endpoint", "pushed authorization request", "RFC 9126 section 2.3")
        case .revocation: ("revocation endpoint", "revocation request", "RFC 7009 section 2.2.1")
        case .deviceAuthorization:
            ("device authorization endpoint", "device authorization request", "RFC 8628 section 3.2")
        case .userInfo: ("UserInfo endpoint", "UserInfo request", "OpenID Connect Core section 5.3.3")
        case .keySet: ("key set", "request for the key set", "RFC 7517 section 5")
        }
    }
}
