/// The reaction of a provider of the sandbox to a used refresh token.
///
/// `GrantLedger` decides by it, and `SandboxAuthorizationServer` revokes or repeats.
public enum SandboxTokenReuse: Sendable, Equatable {
    /// Revokes all tokens of the login at once.
    case revokes
    /// Issues new tokens again for this time after the first use, then revokes. All tokens issued in that time work.
    case grace(Duration)
    /// Returns the same response again until its refresh token is used, then revokes.
    case repeatsResponse
}
