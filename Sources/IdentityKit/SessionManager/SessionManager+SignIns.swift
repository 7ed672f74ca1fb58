internal import FoundationEssentials

extension SessionManager {
    /// The sign-ins of the buyer of a session, newest first, for a page on which the buyer sees and ends sign-ins.
    ///
    /// Sessions with the same tenant, issuer and subject belong to the buyer. The ``ProviderDescriptor/equivalentIssuers`` of the given
    /// session's provider count as one issuer.
    ///
    /// - Returns: The sessions that need no new login (``Session/needsLogin``) and that this version of the app can read.
    /// - Throws: ``IdentityError``: of kind ``IdentityError/Kind/signInAgain`` when no buyer is signed in to the session; of kind
    ///   ``IdentityError/Kind/rejected`` when the response to the session's last refresh belongs to another login; or the store's error.
    public func signIns(ofBuyerOf id: SessionID) async throws -> [BuyerSignIn] {
        try await Correlation.scope {
            var list: [BuyerSignIn] = []
            let filter = try await filter(forBuyerOf: id)
            for session in try await visible.matching(filter).reversed() where !session.needsLogin {
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
    /// After the revocation, a provider that keeps one grant for a buyer and a client may also reject the refresh tokens of the buyer's
    /// other sessions.
    ///
    /// - Parameters:
    ///   - reference: The sign-in, from ``signIns(ofBuyerOf:)``. It may come from an untrusted form: only this buyer's sign-ins can end.
    ///   - id: The session of the browser that sent the form.
    /// - Returns: Whether the sign-in was ended; false if the buyer has no sign-in with this reference.
    /// - Throws: ``IdentityError``: of kind ``IdentityError/Kind/signInAgain`` when no buyer is signed in to the session; of kind
    ///   ``IdentityError/Kind/rejected`` when the response to the session's last refresh belongs to another login; or the store's error.
    ///   If the sign-in is not found, the method throws the error of a session that cannot be read, because this session may be the
    ///   sign-in.
    @discardableResult
    public func endSignIn(_ reference: SessionReference, ofBuyerOf id: SessionID) async throws -> Bool {
        try await Correlation.scope {
            let filter = try await filter(forBuyerOf: id)
            let (ended, failure) = try await end(matching: filter) { $0.reference == reference }
            if ended.isEmpty, let failure { throw failure }
            return !ended.isEmpty
        }
    }

    /// Ends all sign-ins of the buyer of a session except this session, and revokes their tokens.
    ///
    /// After the revocation, a provider that keeps one grant for a buyer and a client may also reject the refresh token of the session that
    /// stays. In this case the buyer has to sign in again when the session's access token expires.
    ///
    /// - Throws: ``IdentityError``: of kind ``IdentityError/Kind/signInAgain`` when no buyer is signed in to the session; of kind
    ///   ``IdentityError/Kind/rejected`` when the response to the session's last refresh belongs to another login; or the store's error. If
    ///   a logout fails, the method tries the other logouts before it throws the error. A session that may belong to the buyer, but cannot
    ///   be read, also causes an error.
    @discardableResult
    public func endOtherSignIns(ofBuyerOf id: SessionID) async throws -> [LogoutResult] {
        try await Correlation.scope {
            let filter = try await filter(forBuyerOf: id)
            return try await endAll(matching: filter) { $0 != id }
        }
    }

    /// Stores the current time as the session's last use, for the list of ``signIns(ofBuyerOf:)``.
    ///
    /// The time is stored at most once in each ``SessionManager/Configuration/useInterval``. The routes of `IdentityWeb` call this method.
    /// If the store fails, the time is not stored, and no error is thrown.
    public func noteUse(of session: Session) async {
        await context.signInRecords.noteUse(of: session)
    }

    private func filter(forBuyerOf id: SessionID) async throws -> SessionFilter {
        let (stored, tokens) = try await signedInSession(id)
        return SessionFilter(buyerOf: Session(stored, .active(tokens)))
    }
}
