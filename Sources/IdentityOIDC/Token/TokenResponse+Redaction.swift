// An answer's whole object holds the tokens in the clear, claims hold personal data: neither prints.

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
