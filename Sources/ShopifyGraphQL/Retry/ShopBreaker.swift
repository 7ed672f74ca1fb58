internal import IdentityHTTP
internal import IdentityKit
internal import Synchronization

/// The circuit breaker of a shop, which stops requests while Shopify rejects them as an attack (HTTP 430).
///
/// The operation that received the first 430 may get a second attempt, by the rules of ``RetryLimits``. Until this attempt ends, no other
/// operation may send a request.
///
/// All clients of a shop and origin in this process share the breaker, because Shopify sees one caller. Clients with different clocks, as
/// in tests, do not share it, because their times cannot be compared.
final class ShopBreaker: Sendable {
    /// What an operation does after it received a 430.
    enum Verdict: Sendable {
        /// The operation fails, because an earlier 430 has already opened the breaker.
        case known
        /// The operation may try again after its pause, as the probe.
        case probe(CircuitBreaker.Permit)
        /// All operations fail at once for this time.
        case opened(Duration)
    }

    private struct Shop: Hashable {
        let name: String
        let origin: String
        let clock: ObjectIdentifier
    }

    private struct State {
        var breaker = CircuitBreaker()
        /// Keeps the clock alive, because a new clock at the same address would have the same `ObjectIdentifier`.
        let clock: any IdentityClock
    }

    /// The shops that rejected a request of this process as an attack; a shop that accepts requests has no entry.
    private static let states = Mutex<[Shop: State]>([:])
    /// If more shops than this have an entry, the entries whose pause ended at least an hour ago are removed.
    private static let usualShops = 1_000

    private let shop: Shop
    private let pause: Duration
    private let advice: String
    private let environment: IdentityEnvironment

    init(of endpoint: GraphQLEndpoint, pause: Duration, in environment: IdentityEnvironment) {
        let clock = environment.clock
        shop = Shop(
            name: endpoint.shop,
            origin: endpoint.url.origin,
            clock: type(of: clock) is AnyClass
                ? ObjectIdentifier(clock as AnyObject) : ObjectIdentifier(type(of: clock))
        )
        self.pause = pause
        advice = endpoint.advice.attack
        self.environment = environment
    }

    /// Permits an operation to send a request; throws an error with code `security_rejection` while operations are paused.
    func enter() throws(GraphQLFailure) -> CircuitBreaker.Permit {
        let now = environment.clock.elapsed
        return try Self.states.withLock { states throws(GraphQLFailure) in
            guard !states.isEmpty, var state = states[shop] else { return .ordinary }
            guard let permit = state.breaker.permit(at: now) else {
                throw GraphQLFailure(refusal(state.breaker, now), .refused)
            }
            states[shop] = state
            return permit
        }
    }

    /// Ends an attempt; closes the breaker and returns true if the attempt was the probe and the shop responded to it.
    func leave(_ permit: CircuitBreaker.Permit, wasAnswered: Bool) -> Bool {
        guard permit.isProbe else { return false }
        return Self.states.withLock { states in
            states[shop]?.breaker.release(permit)
            guard wasAnswered, let state = states[shop], !state.breaker.isClosed else { return false }
            states[shop] = nil
            return true
        }
    }

    /// Records a response with status 430, and decides what the operation does.
    ///
    /// `delay` is the pause before another attempt, nil if the limits permit no other attempt. `asked` is the wait that Shopify requests.
    func attacked(
        _ permit: CircuitBreaker.Permit,
        _ error: IdentityError,
        delay: Duration?,
        asked: Duration?
    ) -> Verdict {
        let now = environment.clock.elapsed
        return Self.states.withLock { states in
            Self.removeIdleShops(&states)
            var state = states[shop] ?? State(clock: environment.clock)
            defer { states[shop] = state }
            state.breaker.lastFailure = error
            if !permit.isProbe {
                guard state.breaker.isClosed else { return .known }
                if let delay { return .probe(state.breaker.openForProbe(after: delay, at: now)) }
            }
            state.breaker.release(permit)
            // `RetryLimits.securityPause` documents this rule.
            let longest = min(pause * (1 << min(state.breaker.openings, 4)), pause * 10)
            let chosen = Backoff.pause(
                after: 1,
                first: longest,
                atLeast: longest / 2,
                atMost: longest,
                random: environment.random
            )
            let length = max(chosen, min(asked ?? .zero, .seconds(3600)))
            state.breaker.open(for: length, at: now)
            return .opened(length)
        }
    }

    private static func removeIdleShops(_ states: inout [Shop: State]) {
        guard states.count > usualShops else { return }
        states = states.filter { !$1.breaker.isIdle(for: .seconds(3600), at: $1.clock.elapsed) }
    }

    private func refusal(_ breaker: CircuitBreaker, _ now: Duration) -> IdentityError {
        let last = breaker.lastFailure
        return IdentityError(
            .retryLater,
            .securityRejection,
            "Requests to the shop are paused, because Shopify rejected requests of this process as an attack (HTTP 430).",
            hint: "Wait until retryAfter of this error has passed. \(advice)",
            reference: "shopify.dev/docs/api/usage/response-codes",
            retryAfter: breaker.wait(at: now),
            providerResponse: last?.providerResponse,
            cause: last
        )
    }
}
