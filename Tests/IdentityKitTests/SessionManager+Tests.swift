import IdentityKit
import TestDoubles

extension SessionManager {
    /// A manager with these providers and no network.
    convenience init(
        _ providers: any IdentityProvider...,
        store: any SessionStore = InMemoryStore(),
        clock: any IdentityClock,
        configuration: Configuration = Configuration(),
        observers: [any IdentityObserver] = []
    ) throws {
        self.init(
            providers: try ProviderRegistry(providers),
            store: store,
            environment: IdentityEnvironment(transport: NoNetwork(), clock: clock),
            configuration: configuration,
            observers: observers
        )
    }
}
