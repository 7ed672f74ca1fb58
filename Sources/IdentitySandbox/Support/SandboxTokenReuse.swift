/// What a provider of the sandbox does if a client sends a used refresh token.
public enum SandboxTokenReuse: Sendable, Equatable {
    /// Revokes all tokens of the login at once.
    case revokes
    /// Issues new tokens again for this time after the first use, and all of them work. A later use revokes all tokens of the login.
    case grace(Duration)
    /// Returns the first response again until the refresh token in it is used. A later use revokes all tokens of the login.
    case repeatsResponse
}
