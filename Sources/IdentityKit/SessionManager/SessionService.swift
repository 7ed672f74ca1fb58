/// ``SessionManager`` and its parts, which share one ``SessionContext``.
protocol SessionService: Sendable {
    var context: SessionContext { get }
}

extension SessionService {
    var environment: IdentityEnvironment { context.environment }
    var clock: any IdentityClock { context.environment.clock }
    var configuration: SessionManager.Configuration { context.configuration }
    var events: EventSource { context.events }
    var visible: VisibleSessions { context.visible }
    var store: any SessionStore { context.visible.store }
    var providers: ProviderRegistry { context.visible.providers }
    var participants: SessionParticipants { context.participants }
    var background: BackgroundWork { context.background }
    var cache: SessionTokensCache? { context.cache }
    var schedule: RefreshSchedule { context.schedule }
    var unsaved: UnsavedTokens { context.refreshMemory.unsaved }

    /// Loads a session and its tokens; throws if no buyer is signed in to the session.
    ///
    /// Also throws if the response to the session's last refresh belongs to another login: the session may belong to another person.
    func signedInSession(_ id: SessionID) async throws -> (stored: StoredSession, tokens: TokenSet) {
        let found = try await visible.load(id)
        let state = try found.decoded().state
        guard state.endReason == nil, let tokens = state.tokens else {
            throw IdentityError.ended(state.endReason ?? .guest)
        }
        if let mismatch = unsaved.pendingResponse(to: tokens, of: found.stored, state)?.loginMismatch {
            throw IdentityError.otherLogin(mismatch)
        }
        return (found.stored, tokens)
    }

    func provider(of session: StoredSession) throws(IdentityError) -> any IdentityProvider {
        try providers.provider(ofStored: session.provider, tenant: session.tenant)
    }

    var creator: SessionCreator { SessionCreator(context: context) }
    var tokenReader: SessionTokensReader { SessionTokensReader(context: context) }
    var refresher: TokenRefresher { TokenRefresher(context: context) }
    var revocation: TokenRevocation { TokenRevocation(context: context) }
}
