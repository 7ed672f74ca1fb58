/// Whether this process can serve requests, for a probe of a load balancer or an orchestrator: ``SessionManager/readiness()``.
///
/// It contains no secret and nothing about a buyer.
public struct Readiness: Sendable, Equatable {
    /// What this process knows about a provider, without asking it.
    public struct Provider: Sendable, Equatable {
        /// The provider's name.
        public let name: String
        /// How long the circuit breaker still stops refreshes at the provider; nil while it is closed.
        public let pause: Duration?
        /// The provider's keys; nil for a provider without ID tokens.
        public let keys: KeySetState?
    }

    /// Why the store cannot be read; nil if it can.
    public let storeProblem: IdentityError.Code?
    /// The providers, in the order of the configuration.
    public let providers: [Provider]

    /// Whether the process can serve requests: the store can be read.
    ///
    /// An outage of a provider does not matter here, because it affects all processes, and signed-in buyers can still be served.
    public var isReady: Bool { storeProblem == nil }
}

/// What a process knows about a provider's keys.
public enum KeySetState: Sendable, Equatable {
    /// No keys were needed yet.
    case notFetched
    /// The keys are valid; the provider confirmed them this long ago.
    case fresh(age: Duration)
    /// The keys have expired, or could not be fetched again; the next sign-in or refresh fetches them.
    case expired(age: Duration)
}

/// A provider that reports the state of its keys without asking its server.
public protocol KeySetStateProviding: Sendable {
    /// The state of the keys.
    var keySetState: KeySetState { get }
}

extension SessionManager {
    /// Whether this process can serve requests: reads the store once, and reports circuit breakers and key sets from memory.
    ///
    /// It is cheap enough for a probe every few seconds, and calls no provider.
    public func readiness() async -> Readiness {
        var problem: IdentityError.Code?
        do {
            try await Correlation.scope { _ = try await visible.store.session(try creator.newID()) }
        } catch {
            problem = IdentityError.code(of: error)
        }
        let providers = visible.providers.all.map { provider in
            Readiness.Provider(
                name: provider.descriptor.name,
                pause: refresher.limiter(of: provider.descriptor.name).pause,
                keys: (provider as? any KeySetStateProviding)?.keySetState
            )
        }
        return Readiness(storeProblem: problem, providers: providers)
    }
}
