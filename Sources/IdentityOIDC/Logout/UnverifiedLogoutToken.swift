internal import IdentityCrypto
internal import IdentityKit

/// A logout token that would be good if its signature were: nothing that it says may be used before.
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

    /// The name of the key that it claims to be signed with.
    var keyID: String? { signature.keyID }

    /// What the token says, once a key of the provider has verified it.
    ///
    /// - Throws: `IdentityError` with code `id_token_key_unknown` or `id_token_signature` when the keys do not do.
    func verify(_ keys: JSONWebKeySet) throws(IdentityError) -> LogoutNotice {
        try checks.checkSignature(signature, algorithm, keys)
        return notice
    }
}
