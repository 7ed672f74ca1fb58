internal import IdentityCrypto
internal import IdentityHTTP
internal import IdentityKit

/// Checks PKCE verifiers (RFC 7636 section 4.6), with S256 only.
enum PKCECheck {
    /// Returns the error as a sentence; nil if the verifier matches the challenge, or if both are nil.
    static func problem(verifier: String?, challenge: String?) -> String? {
        guard let challenge else {
            return verifier == nil
                ? nil : "The request has a code_verifier, but the authorization request had no code_challenge."
        }
        guard let verifier else { return "code_verifier is missing." }
        guard (43...128).contains(verifier.utf8.count), FormEncoding.escape(verifier).isIdentical(to: verifier) else {
            return "code_verifier must be 43 to 128 unreserved characters."
        }
        guard let digest = try? Digest.sha256(Array(verifier.utf8)), Base64URL.encode(digest).isIdentical(to: challenge)
        else { return "code_verifier does not match code_challenge." }
        return nil
    }
}
