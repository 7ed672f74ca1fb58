// An answer's whole object holds the tokens in the clear, claims hold personal data, a signed token is both: none prints.

extension TokenResponse: CustomStringConvertible, CustomReflectable {
    package var description: String { "TokenResponse(<redacted>)" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension TokenAnswer: CustomStringConvertible, CustomReflectable {
    package var description: String {
        switch self {
        case .success: "TokenAnswer(success)"
        case .failure(let failure): "TokenAnswer(failure, HTTP \(failure.status))"
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

extension CompactSignature: CustomStringConvertible, CustomReflectable {
    package var description: String { "CompactSignature(<redacted>)" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension JSONWebSignature: CustomStringConvertible, CustomReflectable {
    package var description: String { "JSONWebSignature(<redacted>)" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
