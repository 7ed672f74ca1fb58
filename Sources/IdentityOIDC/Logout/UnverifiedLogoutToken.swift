internal import IdentityCrypto
package import IdentityKit

/// A logout token whose signature is not verified yet; the token has passed all other checks.
///
/// Its claims must not be used before ``verify(_:)``.
package struct UnverifiedLogoutToken {
    let checks: SignedTokenChecks
    let jwt: JSONWebToken
    let algorithm: SignatureAlgorithm
    let claims: LogoutTokenClaims

    package func verify(_ keys: JSONWebKeySet) throws(IdentityError) -> LogoutTokenClaims {
        do throws(IdentityError) {
            try checks.checkSignature(jwt, algorithm, keys)
        } catch {
            throw error.suspectingAttack
        }
        return claims
    }
}
