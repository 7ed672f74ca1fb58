// An answer's whole object holds the tokens in the clear, claims hold personal data, a signed token is both: none prints.

extension TokenResponse: CustomStringConvertible, CustomReflectable {
    package var description: String { "TokenResponse(<redacted>)" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension TokenEndpointResponse: CustomStringConvertible, CustomReflectable {
    package var description: String {
        switch self {
        case .success: "TokenEndpointResponse(success)"
        case .failure(let failure): "TokenEndpointResponse(failure, HTTP \(failure.status))"
        }
    }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension IDTokenClaims: CustomStringConvertible, CustomReflectable {
    package var description: String { "IDTokenClaims(issuer: \(issuer), <redacted>)" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension DeviceAuthorizationResponse: CustomStringConvertible, CustomReflectable {
    package var description: String { "DeviceAuthorizationResponse(<redacted>)" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension CompactJWS: CustomStringConvertible, CustomReflectable {
    package var description: String { "CompactJWS(<redacted>)" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension JSONWebToken: CustomStringConvertible, CustomReflectable {
    package var description: String { "JSONWebToken(<redacted>)" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
