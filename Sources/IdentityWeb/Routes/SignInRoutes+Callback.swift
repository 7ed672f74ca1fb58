internal import IdentityHTTP
internal import IdentityKit

extension SignInRoutes {
    /// Completes a sign-in.
    ///
    /// `SessionManager.complete` with an admission (`SessionManager+Web.swift`) finds the login by `state`, exchanges the code and creates
    /// the session (`LoginCoordinator+Completion.swift`).
    ///
    /// A posted callback (`form_post`) comes from the provider's site, so the browser does not send the `Lax` cookies of session and guest
    /// with it. The routes store the callback, encrypted and bound to the browser, and redirect the browser to the same route. The GET
    /// request that follows has all cookies and completes the sign-in.
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
            // The cookie is untrusted input, so only a path of this app is accepted from it.
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
            context.set(try cookies.completedLogin(attemptID, value, descriptor.responseMode))
        }
        await settle(session, replacing: replaced, guest: cookies.guestID(in: request), in: context)
        return try redirect(to: path)
    }

    /// The browser's session, even if the provider has ended it, because the buyer's cart still belongs to it.
    ///
    /// Nil if the browser has no session, or if the session's record cannot be read: an unreadable record must not stop a sign-in.
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

    /// Asks the app whether the buyer gets a session.
    ///
    /// - Returns: The path that the app chose; nil to keep the return path of the login.
    /// - Throws: `IdentityError` with code `sign_in_refused` if the app refuses the buyer; an error of the app.
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

    /// Ends the session that another buyer has in this browser.
    ///
    /// The other buyer's session ends before the new session is stored, so that none of its data, such as the cart, reaches the new buyer.
    private func end(_ old: Session) async throws {
        do {
            _ = try await sessions.logout(old.id)
        } catch let error as IdentityError where error.code == .sessionUnknown {
            // The session has already ended, for example by another request.
        }
    }

    /// Performs the work after a sign-in that must not delay the buyer: moves the cart of a replaced session, ends that session, merges the
    /// guest's cart, and ends sessions above the maximum.
    ///
    /// The sign-in succeeds even if this work fails or takes long. A later request tries a failed merge again (``MergePauses``).
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

    /// Merges a guest's cart into the buyer's cart, and waits briefly for the merge; does nothing during a pause of ``MergePauses``.
    ///
    /// If the merge completes in this time, the response removes the guest's cookie. If it completes later, a later request finds nothing
    /// to merge and removes the cookie. If it fails, a later request tries again.
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
        // This work can still run when the buyer signs in once more. The session of that later sign-in must neither count nor end.
        let older = all.filter { $0.id != session.id && $0.createdAt <= session.createdAt }
        for surplus in older.dropLast(max(0, maximum - 1)) {
            try? await sessions.endExcess(surplus.id)
        }
    }
}

extension ProviderDescriptor {
    /// Whether a session belongs to a buyer who signed in at this provider.
    ///
    /// This provider's equivalent issuers do not apply to a session of another provider.
    fileprivate func isSession(_ session: Session, of buyer: Buyer, _ tenant: String) -> Bool {
        guard session.tenant.isIdentical(to: tenant) else { return false }
        return session.provider.isIdentical(to: name)
            ? isSamePerson(session.buyer, as: buyer) : session.buyer.isSamePerson(as: buyer)
    }
}
