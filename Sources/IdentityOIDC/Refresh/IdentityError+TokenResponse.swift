internal import IdentityHTTP
internal import IdentityKit

extension IdentityError {
    /// The same error, of something that went wrong after the token endpoint had answered.
    ///
    /// What another endpoint did, of metadata or keys, says nothing about the answer: it can be judged once that works again, so it is
    /// always a matter of time. And without that endpoint's own answer: who finds it there takes the token request for unanswered, and
    /// sends a token again that is spent.
    var behindTokenAnswer: IdentityError {
        let ofOthers: [Code] = [.discoveryFailed, .discoveryIssuerMismatch, .redirectRefused, .unsupportedByProvider]
        guard kind == .retryLater || ofOthers.contains(code) || cause is HTTPTransportError else { return self }
        return IdentityError(.retryLater, code, message, hint: hint, reference: reference, retryAfter: retryAfter)
    }
}
