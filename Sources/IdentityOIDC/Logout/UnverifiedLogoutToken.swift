internal import IdentityCrypto
package import IdentityKit

/// A logout token whose signature is not verified yet; the token has passed all other checks.
///
/// Do not use the claims before ``verify(_:)`` has succeeded.
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
