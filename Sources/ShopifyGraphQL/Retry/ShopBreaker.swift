internal import IdentityKit
internal import Synchronization

/// Keeps a shop from being asked while it takes us for an attacker (HTTP 430): going on would prove it right.
///
/// The first 430 closes the way for all but the operation that met it, which may try once more after a pause. If that is
/// refused too, nobody goes through for a while; then a single operation does, and what becomes of it decides.
final class ShopBreaker: Sendable {
    /// Leave to send.
    struct Place: Sendable {
        /// Whether the others wait for what becomes of this one.
        let isProbe: Bool
    }

    /// What became of a 430.
    enum Verdict: Sendable {
        /// Somebody else has met one too, and tries.
        case known
        /// The operation that met it may try again after its pause, and nobody else meanwhile.
        case probe(Place)
        /// Nobody is let through for so long.
        case opened(Duration)
    }

    private struct State {
        var openUntil: Duration?
        var isProbing = false
        var openings = 0
        var last: IdentityError?
    }

    private let pause: Duration
    private let environment: IdentityEnvironment
    private let state = Mutex(State())

    init(pause: Duration, in environment: IdentityEnvironment) {
        self.pause = pause
        self.environment = environment
    }

    /// Leave to send, or why there is none.
    func enter() throws(IdentityError) -> Place {
        let now = environment.clock.elapsed
        let (place, refusal) = state.withLock { state -> (Place, IdentityError?) in
            guard let openUntil = state.openUntil else { return (Place(isProbe: false), nil) }
            guard openUntil <= now, !state.isProbing else {
                return (Place(isProbe: false), Self.refusal(state.last, for: openUntil - now))
            }
            state.isProbing = true
            return (Place(isProbe: true), nil)
        }
        if let refusal { throw refusal }
        return place
    }

    /// The operation has ended; true when it opened the way for all again.
    func leave(_ place: Place, wasAnswered: Bool) -> Bool {
        state.withLock { state in
            guard place.isProbe else { return false }
            state.isProbing = false
            guard wasAnswered, state.openUntil != nil else { return false }
            state = State()
            return true
        }
    }

    /// The operation met a 430.
    ///
    /// - Parameters:
    ///   - delay: How long it would wait before its one other attempt; nil when it makes none.
    ///   - asked: How long Shopify asks to wait.
    func attacked(_ place: Place, _ error: IdentityError, delay: Duration?, asked: Duration?) -> Verdict {
        let now = environment.clock.elapsed
        return state.withLock { state in
            state.last = error
            if !place.isProbe {
                guard state.openUntil == nil else { return .known }
                if let delay {
                    state.openUntil = now + delay
                    state.isProbing = true
                    return .probe(Place(isProbe: true))
                }
            }
            state.isProbing = false
            state.openings += 1
            // Twice as long each time, by chance between half of it and all; never shorter than Shopify asks, within reason.
            let longest = min(pause * (1 << min(state.openings - 1, 4)), pause * 10)
            let chosen = Backoff.pause(
                after: 1,
                first: longest,
                atLeast: longest / 2,
                atMost: longest,
                random: environment.random
            )
            let length = max(chosen, min(asked ?? .zero, .seconds(3600)))
            state.openUntil = now + length
            return .opened(length)
        }
    }

    private static func refusal(_ last: IdentityError?, for remaining: Duration) -> IdentityError {
        IdentityError(
            .retryLater,
            .securityRejection,
            "Shopify took this client for an attacker, and is not asked for a while.",
            hint: last?.hint,
            retryAfter: max(remaining, .milliseconds(100)),
            providerAnswer: last?.providerAnswer,
            cause: last
        )
    }
}
