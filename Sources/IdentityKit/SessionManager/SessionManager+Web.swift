internal import IdentityHTTP

/// A decision about a verified buyer before the session is stored: the closure refuses the buyer by throwing an error, chooses the page,
/// or ends an earlier session.
///
/// The arguments are the tokens, the tenant and the return path of the login.
package typealias Admission = @Sendable (TokenSet, String, String?) async throws -> AdmittedLogin

/// The result of an ``Admission``.
package struct AdmittedLogin: Sendable {
    /// The path of the page that the buyer sees first; nil for the return path.
    let firstPage: String?
    /// Whether the caller ends another session of the tenant next, which does not count for the tenant's limit.
    let isReplacement: Bool

    package init(firstPage: String?, isReplacement: Bool) {
        self.firstPage = firstPage
        self.isReplacement = isReplacement
    }
}

/// Calls for the routes of a web app and for carts that are not public.
extension SessionManager {
    /// Notes that a server rejected tokens from ``withAccessToken(of:validFor:perform:)`` after the call had returned.
    package func noteRejection(of tokens: TokenSet, of id: SessionID) { context.rejected.add(tokens, of: id) }

    /// Whether a server rejected the session's tokens right after their refresh.
    package func hasRejectedTokens(_ id: SessionID) async throws -> Bool {
        guard let tokens = try await context.reads.load(id).decoded().state.tokens else { return false }
        return context.rejected.contains(tokens, of: id)
    }

    package var clock: any IdentityClock { environment.clock }

    /// The id of the session with a reference.
    ///
    /// - Throws: `IdentityError` with code ``IdentityError/Code/sessionUnknown``, or the error of a record that cannot be read: it may be
    ///   the session's.
    package func id(of reference: SessionReference) async throws -> SessionID {
        let listing = try await visible.listing(SessionFilter())
        let found = listing.sessions.first { visible.isVisible($0) && $0.id.reference == reference }
        guard let found else { throw listing.damage ?? IdentityError.unknownSession }
        return found.id
    }

    /// Completes a login like ``complete(_:browserBinding:provider:)``, with an admission before the session is stored.
    ///
    /// The tokens of a buyer who is refused are revoked, except after a step-up. The binding has to come from the cookie that is named
    /// after the callback's attempt: otherwise a repeated callback looks like an attack.
    package func complete(
        _ callback: LoginCallback,
        browserBinding: Secret?,
        provider: String,
        admitting admit: @escaping Admission
    ) async throws -> CompletedLogin {
        try await Correlation.scope {
            try await logins.complete(
                callback,
                browserBinding: browserBinding,
                provider: provider,
                mayBeRepeatedCallback: browserBinding != nil,
                admitting: admit
            )
        }
    }

    /// Stores a posted callback until the browser returns with GET and the `state` only; does nothing if no login waits for the `state`.
    package func keepPosted(_ callback: LoginCallback, browserBinding: Secret?, provider: String) async throws {
        try await Correlation.scope {
            try await logins.keepPosted(callback, browserBinding: browserBinding, provider: provider)
        }
    }

    /// Stores a session as if a provider had issued the tokens, for tests of an app.
    package func establish(_ tokens: TokenSet, as descriptor: ProviderDescriptor) async throws -> Session {
        try await Correlation.scope { try await creator.create(for: tokens, by: descriptor) }
    }

    /// Reports an error that a web app responds with, under the correlation id that the response shows.
    package func reportFailedRequest(_ error: IdentityError) {
        Correlation.$current.withValue(error.correlationID) {
            context.events.emit(.requestFailed(error.code), provider: "")
        }
    }

    /// A return path in the form that the policy accepts; nil if the policy refuses it.
    package func acceptedReturnPath(_ path: String) -> String? { try? configuration.returnPaths.location(for: path) }

    /// The only tenant that the manager serves; nil for all.
    package var tenant: String? { visible.tenant }

    /// Runs work on a cart in the background and waits for it briefly, see ``Configuration/participantWait``.
    ///
    /// - Returns: The result; nil if the work takes longer, or the caller is cancelled. It continues then.
    package func waitBriefly<Value: Sendable>(for work: @escaping @Sendable () async -> Value) async -> Value? {
        await background.run(waitingUpTo: configuration.participantWait, work)
    }

    /// Ends a session whose buyer has a newer one in the same browser, without revoking tokens, after its cart was moved.
    ///
    /// If the cart cannot be moved, the session stays and keeps it. An event reports every failure.
    package func endReplaced(_ old: Session, movingCart: () async throws -> Void) async {
        await Correlation.scope {
            let started = clock.elapsed
            do {
                try await movingCart()
                try await logouts.endReplaced(old.id, reporting: .sessionReplaced)
            } catch {
                let kind = IdentityEvent.Kind.participantFailed(IdentityError.code(of: error))
                context.events.emit(kind, provider: old.provider, session: old.id, since: started)
            }
        }
    }

    /// Ends a session because its buyer has too many sessions, without revoking tokens.
    package func endExcess(_ id: SessionID) async throws {
        try await Correlation.scope { try await logouts.endReplaced(id, reporting: .loggedOut) }
    }

    /// The origin of the provider's logout page for a session; nil if the provider has no such page or its metadata is not available.
    package func logoutPageOrigin(of id: SessionID) async -> String? {
        guard let found = try? await visible.load(id).decoded(), let tokens = found.state.tokens,
            let provider = try? visible.providers.provider(
                ofStored: found.session.provider,
                tenant: found.session.tenant
            )
        else { return nil }
        return try? await provider.logoutURL(for: tokens, returningTo: nil)?.origin
    }
}
