internal import IdentityCrypto
internal import IdentityKit

/// A logout token that passed every check but that of the signature; its claims must not be used before ``verify(_:)``.
struct UnverifiedLogoutToken {
    private let checks: SignedTokenChecks
    private let signature: JSONWebToken
    private let algorithm: SignatureAlgorithm
    private let notice: LogoutNotice

    init(
        checks: SignedTokenChecks,
        signature: JSONWebToken,
        algorithm: SignatureAlgorithm,
        notice: LogoutNotice
    ) {
        self.checks = checks
        self.signature = signature
        self.algorithm = algorithm
        self.notice = notice
    }

    /// The token's `kid`.
    var keyID: String? { signature.keyID }

    /// Verifies the signature and returns the token's claims.
    ///
    /// - Throws: `IdentityError` with code `id_token_key_unknown` or `id_token_signature` when none of the keys verifies it.
    func verify(_ keys: JSONWebKeySet) throws(IdentityError) -> LogoutNotice {
        do throws(IdentityError) {
            try checks.checkSignature(signature, algorithm, keys)
        } catch {
            throw error.suspectingAttack
        }
        return notice
    }
}
