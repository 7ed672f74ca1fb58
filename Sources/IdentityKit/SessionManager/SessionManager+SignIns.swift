internal import FoundationEssentials

extension SessionManager {
    /// The sign-ins of the buyer of a session, newest first, for a page on which the buyer sees and ends them.
    ///
    /// Only sessions of the same tenant, issuer and subject belong to the buyer. The ``ProviderDescriptor/equivalentIssuers`` of the
    /// session's provider count as one for the sessions of this provider.
    ///
    /// - Parameter id: The session of the browser that requests the page.
    /// - Returns: The sessions that have not ended, without those that another version of the app wrote and this one cannot read.
    /// - Throws: ``IdentityError``, of kind ``IdentityError/Kind/signInAgain`` when no buyer is signed in to the session,
    ///   and of kind ``IdentityError/Kind/rejected`` when the response to its last refresh belongs to another login.
    public func signIns(ofBuyerOf id: SessionID) async throws -> [BuyerSignIn] {
        try await Correlation.scope {
            var list: [BuyerSignIn] = []
            for session in try await visible.matching(try await buyer(of: id)).reversed() where !session.needsLogin {
                let record = try await context.signInRecords.record(of: session.id)
                list.append(
                    BuyerSignIn(
                        reference: session.id.reference,
                        isCurrent: session.id == id,
                        provider: session.provider,
                        createdAt: session.createdAt,
                        lastUsedAt: max(session.createdAt, record.usedAt ?? session.createdAt),
                        browser: record.browser
                    )
                )
            }
            return list
        }
    }

    /// Ends one sign-in of the buyer of a session, and revokes its tokens.
    ///
    /// A provider that keeps one grant for a buyer and a client then also ends the refresh tokens of the buyer's other sessions.
    ///
    /// - Parameters:
    ///   - reference: The sign-in, from ``signIns(ofBuyerOf:)``; it may come unchecked from a form.
    ///   - id: The session of the browser that sent the form.
    /// - Returns: False if the buyer has no such sign-in; another buyer's sign-in does not end.
    /// - Throws: ``IdentityError``, of kind ``IdentityError/Kind/signInAgain`` when no buyer is signed in to the session,
    ///   and of kind ``IdentityError/Kind/rejected`` when the response to its last refresh belongs to another login.
    @discardableResult
    public func endSignIn(_ reference: SessionReference, ofBuyerOf id: SessionID) async throws -> Bool {
        try await Correlation.scope {
            let filter = try await buyer(of: id)
            return try await !logouts.logoutAll(matching: filter) { $0.reference == reference }.isEmpty
        }
    }

    /// Ends all sign-ins of the buyer of a session except this one, and revokes their tokens.
    ///
    /// A provider that keeps one grant for a buyer and a client then also ends the refresh token of the session that stays: the buyer
    /// has to sign in again when its access token expires.
    ///
    /// - Parameter id: The session that stays.
    /// - Returns: The results of the logouts.
    /// - Throws: ``IdentityError``, of kind ``IdentityError/Kind/signInAgain`` when no buyer is signed in to the session, and of kind
    ///   ``IdentityError/Kind/rejected`` when the response to its last refresh belongs to another login; the first error of a logout,
    ///   after all were tried.
    @discardableResult
    public func endOtherSignIns(ofBuyerOf id: SessionID) async throws -> [LogoutResult] {
        try await Correlation.scope {
            let filter = try await buyer(of: id)
            return try await logouts.logoutAll(matching: filter) { $0 != id }
        }
    }

    /// Stores that a session is used now, for the buyer's list of sign-ins.
    ///
    /// The time is stored at most once in ``SessionManager/Configuration/useInterval``. The routes of `IdentityWeb` call this method. It
    /// never fails: if the store is down, the time is not stored.
    public func noteUse(of session: Session) async {
        await context.signInRecords.noteUse(of: session)
    }

    /// A filter for all sessions of the buyer to whom a session belongs.
    private func buyer(of id: SessionID) async throws -> SessionFilter {
        let found = try await visible.load(id)
        let state = try found.decoded().state
        if let reason = state.endReason { throw IdentityError.ended(reason) }
        if let mismatch = state.mismatch { throw IdentityError.otherLogin(mismatch) }
        // The stored issuer, because stores search for it: after a refresh, the tokens may name an equivalent one.
        var filter = SessionFilter(tenant: found.stored.tenant, buyer: (found.stored.issuer, found.stored.subject))
        filter.equivalentsOf = found.stored.provider
        return filter
    }
}
