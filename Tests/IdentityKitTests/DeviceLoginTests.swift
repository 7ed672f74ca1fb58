import IdentityHTTP
import IdentityKit
import IdentityTesting
import Synchronization
import TestDoubles
import Testing

@Suite("Login on another device")
struct DeviceLoginTests {
    private func manager(
        _ provider: any IdentityProvider,
        _ clock: ManualClock,
        _ observers: [any IdentityObserver] = []
    ) throws -> SessionManager {
        try SessionManager(provider, clock: clock, observers: observers)
    }

    /// The error of a device login at this provider; nil if the login completes.
    private func ending(_ device: ScriptedDevice) async throws -> IdentityError? {
        let sessions = try manager(device, device.clock)
        return await failure { try await sessions.deviceLogin("strict") { _ in } }
    }

    private static func seconds(_ values: Int...) -> [Duration] { values.map { .seconds($0) } }

    @Test("a device login polls for the first time after one interval, and again one interval after each response")
    func interval() async throws {
        let device = ScriptedDevice([.pending, .pending, .tokens], delay: .seconds(2))
        #expect(try await ending(device) == nil)
        #expect(device.polls == Self.seconds(5, 12, 19))
    }

    @Test("each slow_down adds five seconds to the interval of all later polls")
    func slowDown() async throws {
        let device = ScriptedDevice([.slowDown, .pending, .slowDown, .pending, .tokens])
        #expect(try await ending(device) == nil)
        #expect(device.polls == Self.seconds(5, 15, 25, 40, 55))
    }

    @Test("each poll without a response doubles the pause up to a minute; a response restores the interval")
    func backoff() async throws {
        let outages = [ScriptedDevice.Step](repeating: .outage(), count: 5)
        let device = ScriptedDevice([.slowDown] + outages + [.pending, .outage(), .tokens])
        #expect(try await ending(device) == nil)
        #expect(device.polls == Self.seconds(5, 15, 35, 75, 135, 195, 255, 265, 285))
    }

    @Test(
        "after an outage, an interval of more than a minute is not shortened, and the next poll waits for Retry-After"
    )
    func slowPolls() async throws {
        let slow = ScriptedDevice([.outage(), .tokens], interval: .seconds(90))
        #expect(try await ending(slow) == nil)
        #expect(slow.polls == Self.seconds(90, 180))
        let asked = ScriptedDevice([.outage(retryAfter: .seconds(45)), .pending, .tokens])
        #expect(try await ending(asked) == nil)
        #expect(asked.polls == Self.seconds(5, 50, 55))
    }

    @Test("a device login ends when its code expires, even if the provider never reports the expiry")
    func expiry() async throws {
        let device = ScriptedDevice([], lifetime: .seconds(17))
        let error = try await ending(device)
        #expect(error?.kind == .rejected)
        #expect(error?.code == .attemptExpired)
        #expect(error?.cause == nil)
        #expect(device.polls == Self.seconds(5, 10, 15))
        #expect(device.clock.elapsed == .seconds(17))
    }

    @Test("a device login polls a last time when its code expires, unless the pause after the previous poll ends later")
    func lastPoll() async throws {
        let late = ScriptedDevice([.pending, .tokens], lifetime: .seconds(10))
        #expect(try await ending(late) == nil)
        #expect(late.polls == Self.seconds(5, 10))
        let afterOutage = ScriptedDevice([.outage(), .tokens], lifetime: .seconds(15))
        #expect(try await ending(afterOutage) == nil)
        #expect(afterOutage.polls == Self.seconds(5, 15))
        // RFC 8628 section 3.5: after a poll without a response, the client polls less often.
        let backedOff = ScriptedDevice([.outage(), .tokens], lifetime: .seconds(14))
        #expect(try await ending(backedOff)?.code == .attemptExpired)
        #expect(backedOff.polls == Self.seconds(5))
        let short = ScriptedDevice([.tokens], lifetime: .seconds(3))
        #expect(try await ending(short) == nil)
        #expect(short.polls == Self.seconds(3))
        let asked = ScriptedDevice([.outage(retryAfter: .seconds(45)), .tokens], lifetime: .seconds(20))
        #expect(try await ending(asked)?.code == .attemptExpired)
        #expect(asked.polls == Self.seconds(5))
        let slowed = ScriptedDevice([.slowDown, .tokens], lifetime: .seconds(12))
        #expect(try await ending(slowed)?.code == .attemptExpired)
        #expect(slowed.polls == Self.seconds(5))
    }

    @Test("a code that expires during an outage gives attempt_expired with the outage as its cause")
    func expiryInOutage() async throws {
        let device = ScriptedDevice([.pending, .outage(), .outage()], lifetime: .seconds(25))
        let error = try await ending(device)
        #expect(error?.code == .attemptExpired)
        #expect((error?.cause as? IdentityError)?.code == .providerUnavailable)
        #expect(device.polls == Self.seconds(5, 10, 20))
    }

    @Test("the lifetime of a device code is measured with the monotonic clock from the start of the request")
    func jumps() async throws {
        let clock = ManualClock(isAdvancedBySleeping: true)
        clock.advance(by: .seconds(1000))
        let device = ScriptedDevice([], clock: clock, lifetime: .seconds(12))
        let sessions = try manager(device, clock)
        let error = await #expect(throws: IdentityError.self) {
            _ = try await sessions.deviceLogin("strict") { _ in
                clock.jump(by: -86_400)
                clock.advance(by: .seconds(6))
            }
        }
        #expect(error?.code == .attemptExpired)
        #expect(device.polls == Self.seconds(1011))
        #expect(clock.elapsed == .seconds(1012))
    }

    @Test("polls are at least a second apart and end after a day, even if the provider sends absurd values")
    func bounds() async throws {
        for interval in [Duration.zero, .seconds(-5)] {
            let device = ScriptedDevice([], lifetime: .seconds(3), interval: interval)
            #expect(try await ending(device)?.code == .attemptExpired)
            #expect(device.polls == Self.seconds(1, 2, 3))
        }
        let endless = ScriptedDevice([], lifetime: .seconds(Int64.max), interval: .seconds(Int64.max))
        #expect(try await ending(endless)?.code == .attemptExpired)
        #expect(endless.clock.elapsed == .seconds(86_400))
        let expired = ScriptedDevice([.tokens], lifetime: .seconds(-1))
        #expect(try await ending(expired)?.code == .attemptExpired)
        #expect(expired.polls.isEmpty)
    }

    @Test("if the provider rejects a poll, the device login ends immediately with that error")
    func refusal() async throws {
        let denied = IdentityError(.rejected, .accessDenied, "No.")
        let device = ScriptedDevice([.pending, .refused(denied), .tokens])
        #expect(try await ending(device)?.code == .accessDenied)
        #expect(device.polls.count == 2)
    }

    @Test("a device login reports started, then completed or failed; one that never began reports no event")
    func events() async throws {
        let observer = EventSink()
        let device = ScriptedDevice([.tokens, .refused(IdentityError(.rejected, .accessDenied, "No."))])
        let sessions = try manager(device, device.clock, [observer])
        let session = try await sessions.deviceLogin("strict") { _ in }
        #expect(try await sessions.session(session.id).buyer.subject == "buyer-1")
        await #expect(throws: IdentityError.self) { _ = try await sessions.deviceLogin("strict") { _ in } }
        await #expect(throws: IdentityError.self) { _ = try await sessions.deviceLogin("nobody") { _ in } }
        let expected: [IdentityEvent.Kind] = [
            .loginStarted, .loginCompleted, .loginStarted, .loginFailed(.accessDenied),
        ]
        #expect(observer.kinds == expected)
    }

    @Test("a provider without device login throws unsupported_by_provider")
    func unsupported() async throws {
        let clock = ManualClock()
        let sessions = try manager(StrictProvider(clock: clock), clock)
        let error = await #expect(throws: IdentityError.self) { _ = try await sessions.deviceLogin("strict") { _ in } }
        #expect(error?.kind == .configuration)
        #expect(error?.code == .unsupportedByProvider)
    }

    @Test("cancelling a device login ends the wait immediately; a failing prompt ends it before the first poll")
    func cancel() async throws {
        let device = ScriptedDevice([.tokens], clock: ManualClock())
        let sessions = try manager(device, device.clock)
        let (shown, showing) = AsyncStream<Void>.makeStream()
        let task = Task { try await sessions.deviceLogin("strict") { _ in showing.finish() } }
        for await _ in shown {}
        task.cancel()
        let error = await #expect(throws: IdentityError.self) { _ = try await task.value }
        #expect(error?.kind == .cancelled)
        let gaveUp = await #expect(throws: IdentityError.self) {
            _ = try await sessions.deviceLogin("strict") { _ in throw CancellationError() }
        }
        #expect(gaveUp?.kind == .cancelled)
        #expect(device.polls.isEmpty)
    }

    @Test("a device login reports its end exactly once with async/await, with a completion and with a delegate")
    func entryPoints() async throws {
        func endings(_ step: ScriptedDevice.Step) async throws -> [String] {
            let device = ScriptedDevice([step, step, step])
            let prompts = Mutex(0)
            let flow = LoginFlow(provider: "strict", sessions: try manager(device, device.clock)) { prompt in
                prompts.withLock { $0 += prompt.userCode == "WDJB-MJHT" ? 1 : 0 }
            }
            let delegate = RecordingDelegate()
            do {
                _ = try await flow.login()
                delegate.calls.withLock { $0.append("completed") }
            } catch let error as IdentityError {
                delegate.calls.withLock { $0.append("failed \(error.code)") }
            }
            await flow.login { result in
                switch result {
                case .success(let session): delegate.loginDidComplete(session)
                case .failure(let error): delegate.loginDidFail(error)
                }
            }.finished()
            await flow.login(delegate: delegate).finished()
            #expect(prompts.withLock { $0 } == 3)
            return delegate.calls.withLock { $0 }
        }
        #expect(try await endings(.tokens) == ["completed", "completed", "completed"])
        let denied = IdentityError(.rejected, .accessDenied, "No.")
        #expect(try await endings(.refused(denied)) == Array(repeating: "failed access_denied", count: 3))
    }
}
