/// The result of ``SessionManager/readiness()``: whether this process can serve requests, for a probe of a load balancer or orchestrator.
///
/// The value contains no secret and nothing about a buyer.
public struct Readiness: Sendable, Equatable {
    /// What this process knows about a provider without a request to it.
    public struct Provider: Sendable, Equatable {
        /// The provider's name.
        public let name: String
        /// How long the circuit breaker still stops refreshes at the provider; nil while the circuit breaker permits a refresh.
        public let pause: Duration?
        /// The state of the provider's keys; nil if the provider reports no such state, for example because it issues no ID tokens.
        public let keys: KeySetState?
    }

    /// The code of the error with which the read of the store failed; nil if the store can be read.
    public let storeProblem: IdentityError.Code?
    /// The providers, in the order of ``SessionManager/providerNames``.
    public let providers: [Provider]

    /// Whether the process can serve requests: the store can be read.
    ///
    /// A provider's outage does not change the value. The outage affects all processes, and each process can still serve signed-in buyers.
    public var isReady: Bool { storeProblem == nil }
}

/// The state of a provider's keys in the memory of this process.
public enum KeySetState: Sendable, Equatable {
    /// This process has fetched no keys yet.
    case notFetched
    /// The keys have not expired; `age` is the time since the provider confirmed them.
    case fresh(age: Duration)
    /// The keys have expired; `age` is the time since the provider confirmed them.
    ///
    /// The next sign-in or refresh that needs the keys fetches new keys. If the fetch fails, the expired keys are used until they are two
    /// days old. If the keys stay expired while buyers sign in, look for the reason why the fetch fails.
    case expired(age: Duration)
}

/// A provider that reports the state of its keys without a request.
public protocol KeySetStateProviding: Sendable {
    /// The state of the keys.
    var keySetState: KeySetState { get }
}

extension SessionManager {
    /// Checks whether this process can serve requests.
    ///
    /// The method reads the store once and sends no request to a provider, so a probe can call it every few seconds.
    public func readiness() async -> Readiness {
        var problem: IdentityError.Code?
        do {
            try await Correlation.scope {
                if let store = store as? any StoreReadChecking {
                    try await store.checkReadable()
                } else {
                    _ = try await store.session(try creator.newID())
                }
            }
        } catch {
            problem = IdentityError.code(of: error)
        }
        let providers = self.providers.all.map { provider in
            Readiness.Provider(
                name: provider.descriptor.name,
                pause: context.refreshMemory.limiter(of: provider.descriptor.name).pause,
                keys: (provider as? any KeySetStateProviding)?.keySetState
            )
        }
        return Readiness(storeProblem: problem, providers: providers)
    }
}

/// A store that checks in its own way whether it can be read, for ``SessionManager/readiness()``.
///
/// With other stores, `readiness()` looks up a session that does not exist. On a PostgreSQL standby this lookup throws, because a standby
/// may lack new sessions. But the standby can still serve the sessions that it has.
package protocol StoreReadChecking: Sendable {
    func checkReadable() async throws
}
