/// The main interface of the SDK: it begins and completes logins, stores sessions, returns valid tokens and ends sessions.
///
/// One instance serves a whole app; every method may be called from any task.
///
/// ```swift
/// let sessions = SessionManager(providers: providers, store: store, environment: environment)
/// let login = try await sessions.begin("shopify")
/// // Redirect the browser to login.url, with the binding as a cookie, and receive the callback.
/// let completed = try await sessions.complete(callback, browserBinding: login.browserBinding, provider: "shopify")
/// let tokens = try await sessions.tokens(for: completed.session.id)
/// ```
public final class SessionManager: SessionService {
    let context: SessionContext

    /// Creates a manager.
    ///
    /// - Parameters:
    ///   - providers: The providers to choose from. Pass the providers of all tenants, even if the configuration names one tenant:
    ///     `complete` refuses a callback that a provider of another tenant may have sent, and must know this provider.
    ///   - store: The store for sessions and pending logins.
    ///   - environment: Clock and random source; pass the same environment to the providers.
    ///   - configuration: Time limits, retention and other settings.
    ///   - observers: Receive the events of logins and sessions.
    public init(
        providers: ProviderRegistry,
        store: any SessionStore,
        environment: IdentityEnvironment,
        configuration: Configuration = Configuration(),
        observers: [any IdentityObserver] = []
    ) {
        context = SessionContext(providers, store, environment, configuration, observers)
    }

    /// Adds a participant, such as a cart adapter, which is notified when sessions change or end.
    ///
    /// The manager holds the participant weakly, so the app must keep a reference to it.
    public func add(_ participant: any SessionParticipant) {
        participants.add(participant)
    }

    /// The names of the available providers, in order.
    public var providerNames: [String] { providers.names }

    /// The description of a provider.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/providerUnknown``.
    public func descriptor(of provider: String) throws(IdentityError) -> ProviderDescriptor {
        try providers.provider(named: provider).descriptor
    }

    /// Returns a session, without its tokens.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/sessionUnknown``; with code ``IdentityError/Code/storeCorrupt`` if this
    ///   version of the app cannot read the session; or the store's error.
    public func session(_ id: SessionID) async throws -> Session {
        try await Correlation.scope { try await visible.load(id).decoded().session }
    }

    /// Returns the sessions that match the filter, oldest first.
    ///
    /// Expired sessions, and sessions that this version of the app cannot read, are left out.
    ///
    /// A filter for a buyer also matches the buyer's sessions under the other ``ProviderDescriptor/equivalentIssuers`` of their provider.
    /// To end all sessions of a buyer, call ``logoutAll(issuer:subject:tenant:)``, which throws if it cannot read one of the sessions.
    ///
    /// - Throws: ``IdentityError`` of the store.
    public func sessions(matching filter: SessionFilter = SessionFilter()) async throws -> [Session] {
        try await Correlation.scope { try await visible.matching(filter) }
    }
}
