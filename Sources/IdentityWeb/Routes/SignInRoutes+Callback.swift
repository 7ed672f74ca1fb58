internal import IdentityHTTP
internal import IdentityKit

extension SignInRoutes {
    /// Completes a sign-in with the callback of a GET request; stores the callback of a POST request (`form_post`).
    ///
    /// A page of the provider's site posts the callback, so the browser does not send the `Lax` cookies of session and guest with it. The
    /// routes store the callback with its login, and redirect the browser to the same route with GET. That GET request has all cookies and
    /// completes the sign-in.
    func callback(_ provider: String, in context: WebContext) async throws -> WebResponse {
        let request = context.request
        guard request.method == .get else { return try await keepPosted(provider, request) }
        let callback = try LoginCallback(url: request.target)
        guard let attemptID = callback.attemptID else { return page(.signInExpired) }
        let cookie = cookies.loginValue(attemptID, in: request)
        if case .completed(let reference, let path)? = cookie?.state {
            guard let session = try await readableSession(in: context), !session.needsLogin,
                session.id.reference == reference
            else { return page(.signInExpired) }
            // A browser may send any path in the cookie, so only a path of this app is accepted.
            return try redirect(to: (try? ReturnPathPolicy.pathsOnly.location(for: path)) ?? configuration.homePath)
        }
        let old = try await readableSession(in: context)
        let descriptor = try sessions.descriptor(of: provider)
        let login = try await sessions.complete(
            callback,
            browserBinding: cookie?.binding,
            provider: provider,
            noteReturnPath: context.noteReturnPath
        ) { tokens, tenant, returnPath in
            let path = try await self.admit(tokens.buyer, of: provider, request, returnPath)
            let isSameBuyer = old.map { descriptor.isSession($0, of: tokens.buyer, tenant) } ?? false
            if let old, !isSameBuyer { try await self.end(old) }
            return AdmittedLogin(firstPage: path, isReplacement: isSameBuyer)
        }
        let session = login.session
        let replaced = old.flatMap { old in
            login.replaced != old.id && descriptor.isSession(old, of: session.buyer, session.tenant) ? old : nil
        }
        let path = login.returnPath ?? configuration.homePath
        context.forgetSession()
        context.set(try cookies.session(session.id))
        if let cookie {
            let value = cookie.completed(session.id.reference, returnPath: path)
            context.set(try cookies.completedLogin(attemptID, value))
        }
        await settle(session, replacing: replaced, guest: cookies.guestID(in: request), in: context)
        return try redirect(to: path)
    }

    /// The browser's session; nil if its record cannot be read, because such a record must not stop a sign-in.
    ///
    /// A session that the provider has ended is returned too, because it still has the buyer's cart.
    private func readableSession(in context: WebContext) async throws -> Session? {
        do {
            return try await context.storedSession()
        } catch let error as IdentityError where error.concernsRecord {
            return nil
        }
    }

    private func keepPosted(_ provider: String, _ request: WebRequest) async throws -> WebResponse {
        let callback = try LoginCallback(form: request.body)
        try await sessions.keepPosted(
            callback,
            browserBinding: cookies.binding(of: callback, in: request),
            provider: provider
        )
        let state = try callback.value(of: "state")?.reveal() ?? ""
        return try redirect(to: table.callbackPath(of: provider) + "?state=" + FormEncoding.escape(state))
    }

    /// Returns the path that the app chose, or nil to keep the return path of the login; throws an error if the app refuses the buyer.
    private func admit(
        _ buyer: Buyer,
        of provider: String,
        _ request: WebRequest,
        _ returnPath: String?
    ) async throws -> String? {
        let signIn = SignIn(
            provider: provider,
            buyer: buyer,
            returnPath: returnPath,
            clientAddress: request.clientAddress
        )
        switch try await configuration.admit(signIn) {
        case .accept: return nil
        case .acceptAndGo(let path): return path
        case .refuse:
            throw IdentityError(
                .rejected,
                .signInRefused,
                "The app refused the sign-in of this buyer.",
                hint: "If this buyer may sign in, change `admit` in the routes' configuration: it returned `refuse`."
            )
        }
    }

    /// Ends the session of another buyer before the new session is stored, so that no data, such as the cart, reaches the new buyer.
    private func end(_ old: Session) async throws {
        do {
            _ = try await sessions.logout(old.id)
        } catch let error as IdentityError where error.code == .sessionUnknown {
            // Another request has already ended the session.
        }
    }

    /// Moves and merges the carts and ends old sessions after a sign-in, which succeeds even if this work fails or takes long.
    private func settle(
        _ session: Session,
        replacing replaced: Session?,
        guest: SessionID?,
        in context: WebContext
    ) async {
        if let guest { _ = mergePauses.begin(for: guest, isForced: true) }
        let isMerged = await sessions.waitBriefly { [self] in
            if let replaced {
                await sessions.endReplaced(replaced) { try await carts?.moveCart(of: replaced.id, to: session.id) }
            }
            let isMerged = if let guest { await mergeCart(of: guest, into: session.id) } else { false }
            await endExcessSessions(of: session)
            return isMerged
        }
        if isMerged == true, let removal = cookies.withoutGuest { context.set(removal) }
    }

    /// Merges a guest's cart into the buyer's cart, and waits briefly for the merge, if ``MergePauses`` permits a merge now.
    ///
    /// If the merge completes in this time, the response removes the guest's cookie. Otherwise a later request calls this function again.
    /// That call repeats a failed merge; after a merge that completed late, it finds nothing to merge and removes the cookie.
    func retryMerge(of guest: SessionID, into session: SessionID, in context: WebContext) async {
        guard carts != nil, mergePauses.begin(for: guest) else { return }
        let isMerged = await sessions.waitBriefly { [self] in await mergeCart(of: guest, into: session) }
        if isMerged == true, let removal = cookies.withoutGuest { context.set(removal) }
    }

    private func mergeCart(of guest: SessionID, into session: SessionID) async -> Bool {
        let isMerged = (try? await carts?.mergeCart(ofGuest: guest, into: session)) ?? false
        mergePauses.end(for: guest, isMerged: isMerged)
        return isMerged
    }

    private func endExcessSessions(of session: Session) async {
        guard let maximum = configuration.maximumSessions else { return }
        guard let all = try? await sessions.sessions(matching: SessionFilter(buyerOf: session)) else { return }
        // The buyer may have signed in again after this sign-in. That newer session must not count and must not end.
        let older = all.filter { $0.id != session.id && $0.createdAt <= session.createdAt }
        for surplus in older.dropLast(max(0, maximum - 1)) {
            try? await sessions.endExcess(surplus.id)
        }
    }
}

extension ProviderDescriptor {
    /// Whether a session belongs to the buyer who has signed in at this provider, with this tenant.
    ///
    /// For a session of this provider, its equivalent issuers count as one issuer. For a session of another provider, the issuers must be
    /// equal.
    fileprivate func isSession(_ session: Session, of buyer: Buyer, _ tenant: String) -> Bool {
        guard session.tenant.isIdentical(to: tenant) else { return false }
        return session.provider.isIdentical(to: name)
            ? isSamePerson(session.buyer, as: buyer) : session.buyer.isSamePerson(as: buyer)
    }
}
