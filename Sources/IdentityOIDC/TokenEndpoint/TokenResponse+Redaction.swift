// Responses contain tokens and claims contain personal data, so these types do not print their content.

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

extension TokenErrorResponse: CustomStringConvertible, CustomReflectable {
    /// The status; no text of the provider.
    public var description: String { "TokenErrorResponse(HTTP \(status))" }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
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
