/// The steps after a response without tokens, or without a response: each returns the next action.
extension RefreshStateMachine {
    /// Continues after an error because of which the refresh token was not sent, or not sent again.
    mutating func notSent(_ error: IdentityError) -> Action {
        refused(RefreshRefusal(.transient, error), mayResend: false, isResponseStored: false)
    }

    /// Continues after a response without tokens, or after a request without a response.
    mutating func refused(_ refusal: RefreshRefusal, mayResend: Bool, isResponseStored: Bool) -> Action {
        if refusal.kind == .inDoubt {
            isInDoubt = true
            // Some providers accept a used token again for a short time.
            if mayResend { return sendAgain(isResponseStored: isResponseStored) }
        }
        guard refusal.kind != .invalidGrant else { return go(.reloadToEnd(refusal), .load) }
        guard let tokens = storedState?.tokens, let claim else { return .finish(.refused(refusal.error)) }
        let finish = Action.finish(.refused(refusal.error))
        guard isInDoubt else { return run([.save(.active(tokens), .release, requiresLock: true), finish]) }
        // The next holder of this kind of lock knows that this process has ended or has released the lock, so the refresh claim need
        // not be marked as abandoned.
        guard !provesPreviousHolderGone else { return finish }
        return run([.save(.claimed(tokens, claim.abandoned), .release, requiresLock: true), finish])
    }

    /// Sends the refresh token once more.
    ///
    /// If the response without tokens is stored, the refresh claim is saved again first: otherwise another process would take the
    /// stored response, find no tokens in it, and send the refresh token too.
    mutating func sendAgain(isResponseStored: Bool) -> Action {
        guard isResponseStored, let tokens = storedState?.tokens, let claim else {
            return go(.send(isRepeated: true), .send)
        }
        return go(.restoreClaim, .save(.claimed(tokens, claim), .restoreClaim, requiresLock: true))
    }

    var endReason: SessionEndReason { isInDoubt ? .lostRotation : .revoked }

    /// Ends the session, because the provider no longer accepts its refresh token.
    ///
    /// Another process may have newer tokens; otherwise the buyer has to sign in again.
    mutating func end(_ current: SessionState?, _ refusal: RefreshRefusal, isOurs: Bool) -> Action {
        guard let current, let tokens = current.tokens else { return .finish(.failed(.unknownSession)) }
        guard isUnchanged(current), current.endReason == nil else { return adopt(current) }
        // Another process has a response that is not validated yet.
        if case .responded = current, !isOurs { return .finish(.failed(.refreshTakesLong)) }
        return go(.end(refusal), .save(.ended(endReason, tokens), .end, requiresLock: !isOurs))
    }
}
