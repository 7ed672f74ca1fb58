import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityTesting
import Synchronization
import TestDoubles

/// A provider whose polls return scripted results, and that records the times of the polls.
final class ScriptedDevice: WrappingProvider, DeviceAuthorizing {
    enum Step: Sendable {
        case pending
        case slowDown
        case outage(retryAfter: Duration? = nil)
        case refused(IdentityError)
        case tokens
    }

    private struct State {
        var steps: [Step]
        var polls: [Duration] = []
    }

    let inner: StrictProvider
    let clock: ManualClock
    /// How long each poll takes.
    let delay: Duration
    private let lifetime: Duration
    private let interval: Duration
    private let state: Mutex<State>

    init(
        _ steps: [Step],
        clock: ManualClock = ManualClock(isAdvancedBySleeping: true),
        lifetime: Duration = .seconds(600),
        interval: Duration = .seconds(5),
        delay: Duration = .zero,
        timeout: Duration? = nil
    ) {
        inner = StrictProvider(clock: clock, timeout: timeout)
        self.clock = clock
        self.lifetime = lifetime
        self.interval = interval
        self.delay = delay
        state = Mutex(State(steps: steps.reversed()))
    }

    var polls: [Duration] { state.withLock { $0.polls } }

    func deviceAuthorization(_ options: LoginOptions) async throws -> DeviceAuthorization {
        var authorization = DeviceAuthorization(
            prompt: DeviceLoginPrompt(
                provider: descriptor.name,
                userCode: "WDJB-MJHT",
                verificationURI: try HTTPURL("https://id.example/device"),
                expiresAt: clock.now + 600
            ),
            deviceCode: Secret("device-code"),
            lifetime: lifetime,
            scopes: ["openid"]
        )
        authorization.interval = interval
        return authorization
    }

    func poll(_ authorization: DeviceAuthorization) async throws -> DevicePoll {
        let now = clock.elapsed
        // After the last step, each poll returns `pending`.
        let step = state.withLock { state in
            state.polls.append(now)
            return state.steps.popLast() ?? .pending
        }
        clock.advance(by: delay)
        switch step {
        case .pending: return .pending
        case .slowDown: return .slowDown
        case .outage(let retryAfter):
            return .unanswered(IdentityError(.retryLater, .providerUnavailable, "Down.", retryAfter: retryAfter))
        case .refused(let error): throw error
        case .tokens: return .authorized(inner.mint(Buyer(issuer: "https://id.example", subject: "buyer-1")))
        }
    }
}
