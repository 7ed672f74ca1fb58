/// What a provider of the sandbox does with a refresh token that comes a second time.
public enum SandboxTokenReuse: Sendable, Equatable {
    /// Revokes everything that came from the login, at once.
    case revokes
    /// Gives new tokens again for so long after the first time, then revokes; tokens that were given meanwhile all work.
    case grace(Duration)
    /// Gives the same answer again until its refresh token is used, then revokes.
    case repeatsAnswer
}
