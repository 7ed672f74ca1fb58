import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityTesting
import Synchronization
import TestDoubles
import Testing

@testable import IdentityOIDC

/// The last link of a chain; it returns the keys that a test sets, and counts the calls.
private final class KeyStub: KeySetProviding {
    private struct State {
        var requirements: [KeySetRequirement] = []
        var keys: [JSONValue] = []
        var isDown = false
        var isStill = false
    }

    private let clock: ManualClock
    private let state: Mutex<State>
    private let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
    private let gate = Mutex<CheckedContinuation<Void, Never>?>(nil)
    private let isGated = Mutex(false)

    init(_ clock: ManualClock, _ keys: [JSONValue]) {
        self.clock = clock
        state = Mutex(State(keys: keys))
    }

    var fetches: Int { state.withLock { $0.requirements.count } }
    var last: KeySetRequirement? { state.withLock { $0.requirements.last } }

    func publish(_ keys: [JSONValue]) { state.withLock { $0.keys = keys } }
    func goDown() { state.withLock { $0.isDown = true } }
    func comeBack() { state.withLock { $0.isDown = false } }

    /// Holds the next request until ``release()``.
    func hold() { isGated.withLock { $0 = true } }
    func arrival() async { for await _ in arrivals { return } }
    func release() {
        isGated.withLock { $0 = false }
        gate.withLock { $0.take() }?.resume()
    }

    func keys(at url: HTTPURL, _ requirement: KeySetRequirement) async throws -> KeySetSnapshot {
        let (fetch, keys, isDown) = state.withLock { state in
            state.requirements.append(requirement)
            return (state.requirements.count, state.keys, state.isDown)
        }
        if isGated.withLock({ $0 }) {
            await withCheckedContinuation { continuation in
                gate.withLock { $0 = continuation }
                arrived.yield()
            }
        }
        guard !isDown else { throw IdentityError(.retryLater, .providerUnavailable, "down") }
        let set = try JSONWebKeySet(parsing: JSONValue.object(["keys": .array(keys)]).serialized)
        let isSame = requirement.known?.keys.hasSameKeys(as: set) ?? false
        let now = clock.elapsed
        return KeySetSnapshot(
            url: url,
            keys: set,
            revision: isSame ? requirement.known?.revision ?? fetch : fetch,
            fetch: fetch,
            entityTag: nil,
            lifetime: .seconds(1000),
            receivedAt: now,
            confirmedAt: now,
            freshUntil: now + .seconds(1000)
        )
    }
}

/// Tests of each link alone, in front of a stub.
@Suite("Links of the key set chain")
struct KeySetLinkTests {
    private let clock = ManualClock()
    private let url: HTTPURL
    private let stub: KeyStub

    init() throws {
        url = try HTTPURL("https://id.example/jwks")
        stub = KeyStub(clock, [try TokenSigner(.es256).jwk])
    }

    @Test("a token bucket permits a burst and then one fetch per interval, and accepts tokens back")
    func bucket() {
        var bucket = TokenBucket(size: 2, interval: .seconds(60))
        #expect((0..<4).map { _ in bucket.take(at: .seconds(5)) } == [true, true, false, false])
        let later = [64, 65, 66, 125, 10_000, 10_000, 10_000].map { bucket.take(at: .seconds($0)) }
        #expect(later == [false, true, false, true, true, true, false])
        bucket.refund()
        #expect([bucket.take(at: .seconds(10_000)), bucket.take(at: .seconds(10_000))] == [true, false])
    }

    @Test("the cache fetches only missing or expired keys, and still knows the old keys after a failed fetch")
    func cache() async throws {
        let cache = KeySetCache(next: stub, clock: clock)
        _ = try await cache.keys(at: url, .usable)
        clock.advance(by: .seconds(999))
        _ = try await cache.keys(at: url, .usable)
        #expect(stub.fetches == 1)
        stub.goDown()
        clock.advance(by: .seconds(1))
        await #expect(throws: IdentityError.self) { _ = try await cache.keys(at: url, .usable) }
        #expect(stub.last?.known != nil)
        stub.comeBack()
        _ = try await cache.keys(at: url, .usable)
        #expect(stub.fetches == 3)
        _ = try await cache.keys(at: try HTTPURL("https://id.example/moved"), .usable)
        #expect(stub.fetches == 4)
    }

    @Test("a fetch that started before the token was signed is not used for that token")
    func flight() async throws {
        let shared = KeySetCache(next: stub, clock: clock)
        let known = try await shared.keys(at: url, .usable)
        stub.hold()
        let early = Task { [url] in try await shared.keys(at: url, .newer(than: known, keyID: "early")) }
        await stub.arrival()
        // The provider rotates its keys and signs while the old response is on its way.
        stub.publish([try key("late")])
        let late = Task { [url] in try await shared.keys(at: url, .newer(than: known, keyID: "late")) }
        // The late caller may wait here or not. In both cases, its keys are requested after the rotation.
        for _ in 0..<20 { await Task.yield() }
        stub.release()
        #expect(try await early.value.revision == known.revision)
        #expect(try await late.value.keys.contains(keyID: "late"))
        #expect(stub.fetches == 3)
    }

    @Test("a caller that finds expired keys does not fetch if another caller has fetched new ones in the meantime")
    func lateLook() async throws {
        let stepping = SteppingClock()
        let shared = KeySetCache(next: stub, clock: stepping)
        _ = try await shared.keys(at: url, .usable)
        // The clock shows the expiry at the first check only, as if another caller had fetched new keys before the second.
        stepping.show(once: .seconds(4000))
        _ = try await shared.keys(at: url, .usable)
        #expect(stub.fetches == 1)
    }

    @Test("a failed fetch does not count in the rate limit")
    func budget() async throws {
        let budget = KeySetRefetchLimiter(stub, environment: environment(), provider: "any")
        let known = try await budget.keys(at: url, .usable)
        stub.goDown()
        for _ in 0..<10 {
            await #expect(throws: IdentityError.self) {
                _ = try await budget.keys(at: url, .newer(than: known, keyID: "a"))
            }
        }
        stub.comeBack()
        for _ in 0..<10 { _ = try await budget.keys(at: url, .newer(than: known, keyID: "a")) }
        #expect(stub.fetches == 1 + 10 + 2)
        // A fetch of expired keys does not count in the rate limit.
        for _ in 0..<10 { _ = try await budget.keys(at: url, .refreshed(known)) }
        #expect(stub.fetches == 23)
    }

    @Test("after two failed fetches the next one is permitted ten seconds later, and its success ends the limit")
    func pause() async throws {
        let paused = KeySetRetryBackoff(stub, clock: clock)
        stub.goDown()
        for _ in 0..<10 { await #expect(throws: IdentityError.self) { _ = try await paused.keys(at: url, .usable) } }
        #expect(stub.fetches == 2)
        // A call with another URL starts the limit anew.
        await #expect(throws: IdentityError.self) {
            _ = try await paused.keys(at: try HTTPURL("https://id.example/moved"), .usable)
        }
        #expect(stub.fetches == 3)
        for _ in 0..<10 { await #expect(throws: IdentityError.self) { _ = try await paused.keys(at: url, .usable) } }
        #expect(stub.fetches == 5)
        stub.comeBack()
        clock.advance(by: .seconds(10))
        for _ in 0..<10 { _ = try await paused.keys(at: url, .usable) }
        #expect(stub.fetches == 15)
    }

    @Test("each operation that fails during a pause of the key set gets its own correlation id")
    func pauseError() async throws {
        let paused = KeySetRetryBackoff(stub, clock: clock)
        stub.goDown()
        var ids: Set<String> = []
        for _ in 0..<4 {
            let error = await #expect(throws: IdentityError.self) { _ = try await paused.keys(at: url, .usable) }
            #expect(error?.code == .providerUnavailable && error?.kind == .retryLater)
            ids.insert(error?.correlationID ?? "")
        }
        #expect(ids.count == 4)
    }

    @Test("expired keys are used during an outage, a minute at a time, up to the maximum age")
    func tolerance() async throws {
        let tolerant = KeySetStaleIfError(next: stub, clock: clock)
        var known = try await tolerant.keys(at: url, .usable)
        stub.goDown()
        // The keys have not expired, so the error is passed on, and the cache still has them.
        await #expect(throws: IdentityError.self) { _ = try await tolerant.keys(at: url, .refreshed(known)) }
        clock.advance(by: .seconds(1000))
        known = try await tolerant.keys(at: url, .refreshed(known))
        #expect(known.freshUntil == clock.elapsed + .seconds(60) && known.confirmedAt == .zero)
        // A caller that requires keys newer than the known ones gets the error, not the expired keys.
        await #expect(throws: IdentityError.self) {
            _ = try await tolerant.keys(at: url, .newer(than: known, keyID: "a"))
        }
        clock.advance(by: KeySetStaleIfError.maximumAge - .seconds(1030))
        known = try await tolerant.keys(at: url, .refreshed(known))
        #expect(known.freshUntil == KeySetStaleIfError.maximumAge)
        clock.advance(by: .seconds(30))
        await #expect(throws: IdentityError.self) { _ = try await tolerant.keys(at: url, .refreshed(known)) }
    }

    @Test("an unknown kid causes one fetch per minute; new keys clear the negative cache")
    func unknownKeys() async throws {
        let memory = KeySetNegativeCache(stub, clock: clock)
        var known = try await memory.keys(at: url, .usable)
        func ask(_ keyID: String) async throws -> KeySetSnapshot {
            try await memory.keys(at: url, .newer(than: known, keyID: keyID))
        }
        for _ in 0..<10 { _ = try await ask("a") }
        #expect(stub.fetches == 2)
        // U+212A KELVIN SIGN is not K.
        _ = try await ask("K")
        _ = try await ask("\u{212A}")
        #expect(stub.fetches == 4)
        clock.advance(by: .seconds(60))
        _ = try await ask("a")
        #expect(stub.fetches == 5)
        stub.publish([try key("b")])
        known = try await memory.keys(at: url, .refreshed(known))
        #expect(try await ask("a").revision == known.revision)
        #expect(stub.fetches == 7)
    }

    @Test("the negative cache does not exceed its capacity, even after ten thousand unknown key ids")
    func boundedMemory() async throws {
        let memory = KeySetNegativeCache(stub, clock: clock)
        let known = try await memory.keys(at: url, .usable)
        for number in 0..<10_000 {
            let keyID = "\(number)" + String(repeating: "x", count: 1000)
            _ = try await memory.keys(at: url, .newer(than: known, keyID: keyID))
        }
        #expect(memory.count == KeySetNegativeCache.capacity)
    }

    @Test("keys are fetched in the background before they expire; a failed fetch has no effect")
    func refreshAhead() async throws {
        let ahead = KeySetRefreshAhead(next: KeySetCache(next: stub, clock: clock), clock: clock)
        let first = try await ahead.keys(at: url, .usable)
        clock.advance(by: .seconds(799))
        _ = try await ahead.keys(at: url, .usable)
        await ahead.refreshes.drain()
        #expect(stub.fetches == 1)
        clock.advance(by: .seconds(1))
        stub.goDown()
        #expect(try await ahead.keys(at: url, .usable).freshUntil == first.freshUntil)
        await ahead.refreshes.drain()
        #expect(stub.fetches == 2)
        stub.comeBack()
        // Callers get the current keys and do not wait for the fetch.
        stub.hold()
        #expect(try await ahead.keys(at: url, .usable).fetch == first.fetch)
        await stub.arrival()
        #expect(try await ahead.keys(at: url, .usable).fetch == first.fetch)
        stub.release()
        await ahead.refreshes.drain()
        #expect(try await ahead.keys(at: url, .usable).freshUntil == .seconds(1800))
        #expect(stub.fetches == 3)
        #expect(KeySetRefreshAhead.lead(.seconds(86_400)) == .seconds(300))
    }

    private func key(_ keyID: String) throws -> JSONValue {
        var forge = try TokenSigner(.es256)
        forge.keyID = keyID
        return forge.jwk
    }

    private func environment() -> IdentityEnvironment {
        IdentityEnvironment(transport: NoNetwork(), clock: clock)
    }
}
