internal import IdentityKit

extension SandboxFault {
    /// Returns `invalid_grant` with status 422, as Bolt's documentation says; in a recorded exchange, Bolt returned 400.
    public static let boltInvalidGrant422 = SandboxFault.oauthError("invalid_grant", status: 422)

    /// Returns `invalid _grant` with status 422: Bolt's documentation writes the error code with this space.
    public static let boltInvalidGrantWithBlank = SandboxFault.oauthError("invalid _grant", status: 422)

    /// Returns 403 `request_forbidden`, as Bolt does if single sign-on is not enabled for the merchant.
    public static let boltRequestForbidden = SandboxFault.oauthError("request_forbidden", status: 403)

    /// Returns 403 with code 18, as the account API does for an expired or revoked access token.
    public static let boltExpiredToken = SandboxFault.answer(.boltError(18, "Forbidden", status: 403))

    /// Returns the account with an empty telephone number and without addresses.
    public static let boltSparseAccount = SandboxFault.editJSON { object in
        object["addresses"] = .array([])
        guard var profile = object["profile"]?.object else { return }
        profile["phone"] = .string("")
        object["profile"] = .object(profile)
    }

    /// Sets `scope` in the token response.
    public static func grantedScope(_ scope: String) -> SandboxFault {
        .member("scope", .string(scope))
    }
}
