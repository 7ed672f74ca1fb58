internal import IdentityCrypto
internal import IdentityKit

/// The checks of all signed tokens (OpenID Connect Core section 3.1.3.7, Back-Channel Logout 1.0 section 2.6), without side effects.
struct SignedTokenChecks {
    let errors: SignedTokenErrors
    let expected: SignedTokenExpectations

    func subject(_ claims: JSONObject) throws(IdentityError) -> String {
        let subject = Self.subject(claims, acceptingNumber: expected.acceptsNumericSubject)
        guard let subject, !subject.isEmpty, subject.utf8.count <= 255 else {
            throw errors.error(.idTokenSubject, "has no sub, or its sub is invalid", "section 2")
        }
        return subject
    }

    /// The claim `sub`: a string or, if `acceptsNumber` is true, a JSON integer; nil if the claim is missing or has another type.
    static func subject(_ claims: JSONObject, acceptingNumber acceptsNumber: Bool) -> String? {
        let number = acceptsNumber ? claims["sub"]?.number?.integer : nil
        return number.map { String($0) } ?? claims["sub"]?.string
    }
}
