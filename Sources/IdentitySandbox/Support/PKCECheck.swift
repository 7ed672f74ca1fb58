internal import IdentityCrypto
internal import IdentityKit

/// RFC 7636 section 4.6, with S256 only.
enum PKCECheck {
    /// A verifier is required if, and only if, there was a challenge.
    static func passes(verifier: String?, challenge: String?) -> Bool {
        problem(verifier: verifier, challenge: challenge) == nil
    }

    /// What is wrong with the verifier; nil when it matches.
    static func problem(verifier: String?, challenge: String?) -> String? {
        guard let challenge else {
            return verifier == nil ? nil : "code_verifier came, but the authorization request had no code_challenge."
        }
        guard let verifier else { return "code_verifier is missing." }
        guard (43...128).contains(verifier.utf8.count), FormText.escape(verifier).isIdentical(to: verifier) else {
            return "code_verifier must be 43 to 128 unreserved characters."
        }
        guard let digest = try? Digest.sha256(Array(verifier.utf8)), Base64URL.encode(digest).isIdentical(to: challenge)
        else { return "code_verifier does not match code_challenge." }
        return nil
    }
}
