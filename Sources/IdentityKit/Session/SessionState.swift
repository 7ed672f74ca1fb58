/// The state of a stored session: what its payload contains, and which changes may follow.
///
/// A login stores an `active` session. A guest's session never has tokens, so its state is `ended`. A logout removes a session in
/// any state. ``RefreshStateMachine`` makes all changes of a state.
///
/// In the table, "from memory or from the spool" means tokens, or a response, that the store could not save earlier (``UnsavedTokens``).
///
/// | from | to | when |
/// | --- | --- | --- |
/// | active | claimed | before the refresh token is sent |
/// | active | responded | a response from memory or from the spool is saved |
/// | active | active | newer tokens from memory or from the spool are saved, for example after a backup of the store was restored |
/// | claimed | claimed | a process waits for another process's refresh, takes over that refresh, or abandons its own |
/// | claimed | active | new tokens are saved; or nothing was sent; or the provider refused the refresh, but the session continues |
/// | claimed | responded | the response is saved before it is validated |
/// | claimed | ended | the provider no longer accepts the refresh token |
/// | responded | claimed | the response contains no token, so the refresh token is sent again |
/// | responded | active | the new tokens are saved; or the response contains no token, and the session continues |
/// | responded | responded | validation shows that the response belongs to another login; the error code is stored with the response |
/// | responded | ended | the response contains no token, and the provider no longer accepts the refresh token |
/// | ended | active | newer tokens are saved: from memory, from the spool, or from a refresh that another process ran at the same time |
package enum SessionState: Sendable {
    case active(TokenSet)
    /// The refresh token may have been sent, and no response is stored.
    case claimed(TokenSet, RefreshClaim)
    /// The provider's unchanged response to a refresh is stored, and no validation has accepted the response yet.
    case responded(TokenSet, RefreshResponse)
    /// The buyer has to sign in again, unless a process or the spool has newer tokens that are not saved yet.
    ///
    /// The state keeps the session's last tokens. They are nil for a guest's session, and for a removed session that cannot be read.
    case ended(SessionEndReason, TokenSet?)

    /// The session's stored tokens; during a refresh, the tokens that the refresh replaces.
    package var tokens: TokenSet? {
        switch self {
        case .active(let tokens), .claimed(let tokens, _), .responded(let tokens, _): tokens
        case .ended(_, let tokens): tokens
        }
    }

    /// Whether the refresh token may have been used, and no new tokens are stored.
    package var isInDoubt: Bool {
        switch self {
        case .claimed, .responded: true
        case .active, .ended: false
        }
    }

    var response: RefreshResponse? {
        guard case .responded(_, let response) = self else { return nil }
        return response
    }

    /// The error code of a stored response that belongs to another login; with such a code, callers get none of the session's tokens.
    package var loginMismatch: IdentityError.Code? { response?.loginMismatch }

    package var endReason: SessionEndReason? {
        guard case .ended(let reason, _) = self else { return nil }
        return reason
    }
}
