internal import IdentityHTTP

/// Refuses a verified buyer by throwing an error, before a session is stored: tokens, tenant, return path.
package typealias AdmissionCheck = @Sendable (TokenSet, String, String?) async throws -> Void

/// What the routes of a web app need beyond the public calls.
extension SessionManager {
    package var clock: any IdentityClock { logins.environment.clock }

    /// ``complete(_:browserBinding:provider:)`` with an admission check; tokens of a buyer who is refused are revoked.
    package func complete(
        _ callback: LoginCallback,
        browserBinding: Secret?,
        provider: String,
        admitting admit: @escaping AdmissionCheck
    ) async throws -> CompletedLogin {
        try await Correlation.scope {
            try await logins.complete(
                callback,
                browserBinding: browserBinding,
                provider: provider,
                admitting: admit
            )
        }
    }

    /// Keeps a posted callback until the browser comes back with GET and the `state` alone.
    package func keepPosted(_ callback: LoginCallback, browserBinding: Secret?, provider: String) async throws {
        try await Correlation.scope {
            try await logins.keepPosted(callback, browserBinding: browserBinding, provider: provider)
        }
    }

    /// Ends a session whose buyer has a newer one in the same browser, without revoking tokens.
    package func endReplaced(_ id: SessionID) async throws {
        try await Correlation.scope { try await logouts.endReplaced(id) }
    }

    /// The origin of the provider's logout page for a session; nil if the provider has no such page or cannot be asked now.
    package func logoutPageOrigin(of id: SessionID) async -> String? {
        guard let stored = try? await known.load(id), let tokens = try? SessionState(stored).tokens,
            let provider = try? known.providers.provider(named: stored.provider)
        else { return nil }
        return try? await provider.logoutURL(for: tokens, returningTo: nil)?.origin
    }
}
