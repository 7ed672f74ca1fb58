internal import IdentityHTTP
internal import IdentityKit
internal import Synchronization

/// Keeps a shop from being asked while it takes us for an attacker (HTTP 430): going on would prove it right.
///
/// The first 430 closes the way for all but the operation that met it, which may try once more after a pause. If that is
/// refused too, nobody goes through for a while; then a single operation does, and what becomes of it decides.
///
/// All clients of a shop in this process share what is known of it: Shopify sees one caller. Clients with different clocks, as
/// tests make them, do not, for their times cannot be compared.
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

    private struct Shop: Hashable {
        let name: String
        let origin: String
        let clock: ObjectIdentifier
    }

    private struct State {
        var openUntil: Duration?
        var isProbing = false
        var openings = 0
        var last: IdentityError?
        /// Kept, so that no other clock gets its identity.
        let clock: any IdentityClock
    }

    /// The shops that refused a caller of this process; a shop that answers has no entry.
    private static let states = Mutex<[Shop: State]>([:])
    /// With more shops than this, those that nobody has asked for an hour are forgotten.
    private static let usualShops = 1_000

    private let shop: Shop
    private let pause: Duration
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
        self.environment = environment
    }

    /// Leave to send, or why there is none.
    func enter() throws(IdentityError) -> Place {
        let now = environment.clock.elapsed
        let (place, refusal) = Self.states.withLock { states -> (Place, IdentityError?) in
            guard !states.isEmpty, let state = states[shop], let openUntil = state.openUntil else {
                return (Place(isProbe: false), nil)
            }
            guard openUntil <= now, !state.isProbing else {
                return (Place(isProbe: false), Self.refusal(state.last, for: openUntil - now))
            }
            states[shop]?.isProbing = true
            return (Place(isProbe: true), nil)
        }
        if let refusal { throw refusal }
        return place
    }

    /// The operation has ended; true when it opened the way for all again.
    func leave(_ place: Place, wasAnswered: Bool) -> Bool {
        guard place.isProbe else { return false }
        return Self.states.withLock { states in
            states[shop]?.isProbing = false
            guard wasAnswered, states[shop]?.openUntil != nil else { return false }
            states[shop] = nil
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
        return Self.states.withLock { states in
            Self.forgetQuietShops(&states)
            var state = states[shop] ?? State(clock: environment.clock)
            defer { states[shop] = state }
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

    private static func forgetQuietShops(_ states: inout [Shop: State]) {
        guard states.count > usualShops else { return }
        states = states.filter { _, state in
            state.isProbing || state.openUntil.map { $0 + .seconds(3600) > state.clock.elapsed } ?? false
        }
    }

    private static func refusal(_ last: IdentityError?, for remaining: Duration) -> IdentityError {
        IdentityError(
            .retryLater,
            .securityRejection,
            "Shopify rejected this process's requests as an attack (430), so none is sent for a while.",
            hint: last?.hint,
            retryAfter: max(remaining, .milliseconds(100)),
            providerAnswer: last?.providerAnswer,
            cause: last
        )
    }
}
