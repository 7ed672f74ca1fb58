internal import IdentityHTTP

/// A closure that admits a buyer before the session of a login is stored; to refuse the buyer, it throws an error.
///
/// Its arguments are the tokens, the tenant and the return path of the login.
package typealias Admission = @Sendable (TokenSet, String, String?) async throws -> AdmittedLogin

package struct AdmittedLogin: Sendable {
    /// The path of the page that the buyer sees first; nil for the return path.
    let firstPage: String?
    /// Whether the new session replaces the browser's old session, which the routes end after the login.
    ///
    /// If the value is true, the store may exceed its maximum number of sessions.
    let isReplacement: Bool

    package init(firstPage: String?, isReplacement: Bool) {
        self.firstPage = firstPage
        self.isReplacement = isReplacement
    }
}

extension SessionManager {
    /// Records that a server rejected tokens right after their refresh.
    ///
    /// Callers that send tokens outside of ``withAccessToken(of:validFor:perform:)`` call this method.
    package func noteRejection(of tokens: TokenSet, of id: SessionID) { context.rejected.add(tokens, of: id) }

    /// Whether, in the last 5 minutes, a resource server rejected the session's tokens although a refresh had just returned them.
    package func hasRejectedTokens(_ id: SessionID) async throws -> Bool {
        guard let tokens = try await context.reads.load(id).decoded().state.tokens else { return false }
        return context.rejected.contains(tokens, of: id)
    }

    package var clock: any IdentityClock { environment.clock }

    /// The id of the session with a reference; throws ``IdentityError/Code/sessionUnknown`` if no session has the reference.
    ///
    /// If the store has an unreadable session, throws the error of that session instead, because that session may have the reference.
    package func id(of reference: SessionReference) async throws -> SessionID {
        let listing = try await visible.listing(SessionFilter())
        let found = listing.sessions.first { visible.isVisible($0) && $0.id.reference == reference }
        guard let found else { throw listing.damage ?? IdentityError.unknownSession }
        return found.id
    }

    /// Stores a session for tokens as if a provider with this descriptor had issued them, for tests of an app.
    package func establish(_ tokens: TokenSet, as descriptor: ProviderDescriptor) async throws -> Session {
        try await Correlation.scope { try await creator.create(for: tokens, by: descriptor) }
    }

    /// Reports an error of a web request; the event has the error's correlation id, which an error page shows.
    package func reportFailedRequest(_ error: IdentityError) {
        Correlation.$current.withValue(error.correlationID) {
            context.events.emit(.requestFailed(error.code), provider: "")
        }
    }

    /// The normalized return path; nil if the policy refuses the path.
    package func acceptedReturnPath(_ path: String) -> String? { try? configuration.returnPaths.location(for: path) }

    package var tenant: String? { visible.tenant }

    /// Runs work in the background, and waits for the result up to ``Configuration/participantWait``.
    ///
    /// Returns nil if the work takes longer or the calling task is cancelled. In both cases the work continues.
    package func waitBriefly<Value: Sendable>(for work: @escaping @Sendable () async -> Value) async -> Value? {
        await background.run(waitingUpTo: configuration.participantWait, work)
    }

    /// Moves the cart of a session that a newer session in the same browser replaces, and ends the old session without revoking tokens.
    ///
    /// If the cart cannot be moved, the old session stays and keeps its cart. Each failure is reported as `participant_failed`.
    package func endReplaced(_ old: Session, movingCart: () async throws -> Void) async {
        await Correlation.scope {
            let started = clock.elapsed
            do {
                try await movingCart()
                try await endReplaced(old.id, reporting: .sessionReplaced)
            } catch {
                let kind = IdentityEvent.Kind.participantFailed(IdentityError.code(of: error))
                context.events.emit(kind, provider: old.provider, session: old.id, since: started)
            }
        }
    }

    /// Ends a session because its buyer has too many sessions, without revoking tokens.
    package func endExcess(_ id: SessionID) async throws {
        try await Correlation.scope { try await endReplaced(id, reporting: .loggedOut) }
    }

    /// The origin of the provider's logout page; nil if the session has no readable tokens, or if the page's URL is not available.
    package func logoutPageOrigin(of id: SessionID) async -> String? {
        guard let found = try? await visible.load(id), let tokens = try? found.decoded().state.tokens,
            let provider = try? provider(of: found.stored)
        else { return nil }
        return try? await provider.logoutURL(for: tokens, returningTo: nil)?.origin
    }
}
