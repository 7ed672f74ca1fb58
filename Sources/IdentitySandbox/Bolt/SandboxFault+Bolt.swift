internal import IdentityKit

/// Faults of the sandbox's Bolt.
extension SandboxFault {
    /// `invalid_grant` with the documented status 422 instead of 400, which Bolt returned in a recorded exchange.
    public static let boltInvalidGrant422 = SandboxFault.oauthError("invalid_grant", status: 422)

    /// `invalid _grant` with status 422: Bolt's documentation writes the code with this space.
    public static let boltInvalidGrantWithBlank = SandboxFault.oauthError("invalid _grant", status: 422)

    /// 403 `request_forbidden`: single sign-on is not enabled for the merchant.
    public static let boltRequestForbidden = SandboxFault.oauthError("request_forbidden", status: 403)

    /// 403 with code 18: the account API's response to an expired or revoked access token.
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
