/// What a provider of the sandbox does if a client sends a used refresh token.
public enum SandboxTokenReuse: Sendable, Equatable {
    /// Revokes all tokens of the login at once.
    case revokes
    /// Issues new tokens again if the first use was less than this time ago, and otherwise revokes all tokens of the login.
    case grace(Duration)
    /// Returns the response to the first use again, until the refresh token in that response is used.
    ///
    /// After that, the provider revokes all tokens of the login.
    case repeatsResponse
}
