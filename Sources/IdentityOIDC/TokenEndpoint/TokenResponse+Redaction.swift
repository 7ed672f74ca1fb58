public import IdentityKit

// Responses contain tokens and claims contain personal data, so these types do not print their content.

extension TokenResponse: Redacted {
    package var description: String { "TokenResponse(<redacted>)" }
}

extension TokenEndpointResponse: Redacted {
    package var description: String {
        switch self {
        case .success: "TokenEndpointResponse(success)"
        case .failure(let failure): "TokenEndpointResponse(failure, HTTP \(failure.status))"
        }
    }
}

extension TokenErrorResponse: Redacted {
    /// The status; no text of the provider.
    public var description: String { "TokenErrorResponse(HTTP \(status))" }
}

extension DeviceAuthorizationResponse: Redacted {
    package var description: String { "DeviceAuthorizationResponse(<redacted>)" }
}

extension CompactJWS: Redacted {
    package var description: String { "CompactJWS(<redacted>)" }
}

extension JSONWebToken: Redacted {
    package var description: String { "JSONWebToken(<redacted>)" }
}
