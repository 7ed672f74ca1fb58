import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityTesting
import TestDoubles
import Testing

@testable import IdentityOIDC

/// Each rule of a source alone, with an endpoint on a real socket.
@Suite("The rules of fetching key sets")
struct KeySetRuleTests {
    private func key(_ keyID: String) throws -> JSONValue {
        var forge = try TokenSigner(.es256)
        forge.keyID = keyID
        return forge.jwk
    }

    @Test("the source fetches only missing or expired keys, and still knows the old keys after a failed fetch")
    func cache() async throws {
        try await KeyEndpoint.withSource { endpoint, source, url, clock in
            endpoint.send([("ETag", "\"1\""), ("Cache-Control", "max-age=1000")])
            let first = try await source.keys(at: url)
            clock.advance(by: .seconds(799))
            #expect(try await source.keys(at: url).fetch == first.fetch)
            #expect(endpoint.fetches == 1)
            endpoint.answer(with: 503)
            clock.advance(by: KeySetMemory.maximumAge)
            await #expect(throws: IdentityError.self) { _ = try await source.keys(at: url) }
            endpoint.answer(with: 200)
            let second = try await source.keys(at: url)
            #expect(second.fetch != first.fetch && second.revision == first.revision)
            #expect(endpoint.fetches == 3)
        }
    }

    @Test("the entity tag of one URL is not sent to another URL")
    func foreignTag() async throws {
        try await KeyEndpoint.withSource { endpoint, source, url, _ in
            endpoint.send([("ETag", "\"1\"")])
            let known = try await source.keys(at: url)
            let other = try HTTPURL(url.text + "/other")
            _ = try await source.keys(at: other)
            #expect(endpoint.last?.header("If-None-Match") == nil)
            // A caller that still has keys of the first URL can confirm them.
            _ = try await source.newerKeys(at: url, than: known, keyID: nil)
            #expect(endpoint.last?.header("If-None-Match") == "\"1\"")
        }
    }

    @Test("a fetch that started before the token was signed is not used for that token")
    func flight() async throws {
        try await KeyEndpoint.withSource { endpoint, source, url, _ in
            let known = try await source.keys(at: url)
            let (arrival, release) = endpoint.holdNext()
            defer { release.open() }
            async let early = source.newerKeys(at: url, than: known, keyID: "early")
            await arrival.wait()
            // The provider rotates its keys and signs while the old response is on its way.
            endpoint.publish([try key("late")])
            async let late = source.newerKeys(at: url, than: known, keyID: "late")
            // The late caller may wait here or not. In both cases, its keys are requested after the rotation.
            for _ in 0..<20 { await Task.yield() }
            release.open()
            #expect(try await early == nil)
            #expect(try await late?.keys.contains(keyID: "late") == true)
            #expect(endpoint.fetches == 3)
        }
    }

    @Test("of two concurrent fetches, the one whose request was sent later counts, even if its response arrives first")
    func order() async throws {
        try await KeyEndpoint.withSource { endpoint, source, url, _ in
            let known = try await source.keys(at: url)
            endpoint.publish([try key("first")])
            let (arrival, release) = endpoint.holdNext()
            defer { release.open() }
            async let first = source.newerKeys(at: url, than: known, keyID: nil)
            await arrival.wait()
            endpoint.publish([try key("second")])
            // Fetches for unsolicited tokens are separate.
            try await source.verifyingUnsolicited(with: url, keyID: "second") { keys in
                guard keys.contains(keyID: "second") else { throw IdentityError(.rejected, .idTokenKeyUnknown, "") }
            }
            release.open()
            #expect(try await first?.keys.contains(keyID: "second") == true)
            #expect(try await source.keys(at: url).keys.contains(keyID: "second"))
            #expect(endpoint.fetches == 3)
        }
    }

    @Test("a caller that finds expired keys does not fetch if another caller has fetched new ones in the meantime")
    func lateLook() async throws {
        try await KeyEndpoint.withChannel { endpoint, httpClient, url, _ in
            let stepping = SteppingClock()
            let stepped = ProviderHTTPClient(
                environment: IdentityEnvironment(transport: httpClient.environment.transport, clock: stepping),
                timeout: .seconds(30),
                allowsLoopbackHTTP: true,
                configured: []
            )
            let source = KeySetSource(httpClient: stepped, provider: "any")
            _ = try await source.keys(at: url)
            // The clock shows the expiry at the first two checks, as if another caller had fetched new keys before the third.
            for _ in 0..<2 { stepping.show(once: .seconds(4000)) }
            _ = try await source.keys(at: url)
            #expect(endpoint.fetches == 1)
        }
    }

    @Test("a failed fetch and a fetch of expired keys do not count in the rate limit")
    func budget() async throws {
        try await KeyEndpoint.withSource { endpoint, source, url, clock in
            for _ in 0..<10 {
                _ = try await source.keys(at: url)
                clock.advance(by: .seconds(3600))
            }
            let known = try await source.keys(at: url)
            #expect(endpoint.fetches == 11)
            endpoint.answer(with: 503)
            for number in 1...10 {
                await #expect(throws: IdentityError.self) {
                    _ = try await source.newerKeys(at: url, than: known, keyID: "a")
                }
                #expect(endpoint.fetches == 11 + number)
                clock.advance(by: .seconds(10))
            }
            endpoint.answer(with: 200)
            for number in 0..<10 { _ = try await source.newerKeys(at: url, than: known, keyID: "\(number)") }
            #expect(endpoint.fetches == 21 + 2)
        }
    }

    @Test("after two failed fetches the next one is permitted ten seconds later, and its success ends the limit")
    func pause() async throws {
        try await KeyEndpoint.withSource { endpoint, source, url, clock in
            func fail(at url: HTTPURL, times: Int) async {
                for _ in 0..<times {
                    await #expect(throws: IdentityError.self) { _ = try await source.keys(at: url) }
                }
            }
            endpoint.answer(with: 503)
            await fail(at: url, times: 10)
            #expect(endpoint.fetches == 2)
            // A call with another URL starts the limit anew.
            await fail(at: try HTTPURL(url.text + "/moved"), times: 1)
            #expect(endpoint.fetches == 3)
            await fail(at: url, times: 10)
            #expect(endpoint.fetches == 5)
            clock.advance(by: .milliseconds(9_999))
            await fail(at: url, times: 1)
            #expect(endpoint.fetches == 5)
            endpoint.answer(with: 200)
            clock.advance(by: .milliseconds(1))
            let known = try await source.keys(at: url)
            #expect(endpoint.fetches == 6)
            endpoint.answer(with: 503)
            for _ in 0..<10 {
                await #expect(throws: IdentityError.self) {
                    _ = try await source.newerKeys(at: url, than: known, keyID: nil)
                }
            }
            #expect(endpoint.fetches == 8)
        }
    }

    @Test("each operation that fails during a pause of the key set gets its own correlation id")
    func pauseError() async throws {
        try await KeyEndpoint.withSource { endpoint, source, url, _ in
            endpoint.answer(with: 503)
            var ids: Set<String> = []
            for _ in 0..<4 {
                let error = await #expect(throws: IdentityError.self) { _ = try await source.keys(at: url) }
                #expect(error?.code == .providerUnavailable && error?.kind == .retryLater)
                ids.insert(error?.correlationID ?? "")
            }
            #expect(ids.count == 4)
        }
    }

    @Test("expired keys are used during an outage, a minute at a time, up to the maximum age")
    func tolerance() async throws {
        try await KeyEndpoint.withSource { endpoint, source, url, clock in
            endpoint.send(cacheControl: "max-age=1000")
            let first = try await source.keys(at: url)
            endpoint.answer(with: 503)
            func fail(_ known: KeySetSnapshot) async {
                await #expect(throws: IdentityError.self) {
                    _ = try await source.newerKeys(at: url, than: known, keyID: "a")
                }
            }
            // The keys have not expired, so the failure has no effect on them.
            await fail(first)
            #expect(try await source.keys(at: url).freshUntil == .seconds(1000))
            clock.advance(by: .seconds(1000))
            let stale = try await source.keys(at: url)
            #expect(stale.freshUntil == .seconds(1060) && stale.confirmedAt == .zero && stale.fetch == first.fetch)
            // A caller that requires keys newer than the known ones gets the error, not the expired keys.
            await fail(stale)
            await source.flights.drain()
            clock.advance(by: KeySetMemory.maximumAge - .seconds(1030))
            #expect(try await source.keys(at: url).freshUntil == KeySetMemory.maximumAge)
            await source.flights.drain()
            clock.advance(by: .seconds(30))
            await #expect(throws: IdentityError.self) { _ = try await source.keys(at: url) }
        }
    }

    @Test("a caller that joins a failed fetch for an unknown kid still gets the expired keys")
    func joinedFailure() async throws {
        try await KeyEndpoint.withSource { endpoint, source, url, clock in
            let known = try await source.keys(at: url)
            endpoint.answer(with: 503)
            let (arrival, release) = endpoint.holdNext()
            defer { release.open() }
            let newer = Task { try await source.newerKeys(at: url, than: known, keyID: "a") }
            await arrival.wait()
            clock.advance(by: .seconds(3600))
            async let usable = source.keys(at: url)
            for _ in 0..<20 { await Task.yield() }
            release.open()
            #expect(try await usable.fetch == known.fetch)
            await #expect(throws: IdentityError.self) { _ = try await newer.value }
        }
    }

    @Test("a cancelled caller stops waiting for the keys, which other callers still get")
    func cancelledCaller() async throws {
        try await KeyEndpoint.withSource { endpoint, source, url, _ in
            let (arrival, release) = endpoint.holdNext()
            defer { release.open() }
            let cancelled = Task { try await source.keys(at: url) }
            await arrival.wait()
            async let waiting = source.keys(at: url)
            cancelled.cancel()
            guard case .failure(let error) = await cancelled.result else {
                Issue.record("The cancelled caller got keys.")
                return
            }
            #expect(IdentityError.code(of: error) == .cancelled)
            release.open()
            let keys = try await waiting.keys
            #expect(keys.count == 1)
            #expect(endpoint.fetches == 1)
        }
    }

    @Test("an unknown kid causes one fetch per minute; new keys clear the negative cache")
    func unknownKeys() async throws {
        try await KeyEndpoint.withSource { endpoint, source, url, clock in
            let known = try await source.keys(at: url)
            func ask(_ keyID: String, than known: KeySetSnapshot) async throws -> Int {
                _ = try await source.newerKeys(at: url, than: known, keyID: keyID)
                return endpoint.fetches
            }
            #expect(try await ask("a", than: known) == 2)
            clock.advance(by: .seconds(59))
            // Without the negative cache, this token would cause the second fetch of the burst.
            #expect(try await ask("a", than: known) == 2)
            clock.advance(by: .seconds(1))
            #expect(try await ask("a", than: known) == 3)
            endpoint.publish([try key("b")])
            try await source.verifyingUnsolicited(with: url, keyID: "b") { keys in
                guard keys.contains(keyID: "b") else { throw IdentityError(.rejected, .idTokenKeyUnknown, "") }
            }
            #expect(endpoint.fetches == 4)
            let latest = try await source.keys(at: url)
            #expect(try await ask("a", than: latest) == 5)
        }
    }

    @Test("key ids of the negative cache are compared byte for byte")
    func unknownKeyBytes() async throws {
        try await KeyEndpoint.withSource { endpoint, source, url, _ in
            let known = try await source.keys(at: url)
            // U+212A KELVIN SIGN is not K.
            for keyID in ["K", "\u{212A}"] { _ = try await source.newerKeys(at: url, than: known, keyID: keyID) }
            #expect(endpoint.fetches == 3)
        }
    }

    @Test("the negative cache does not exceed its capacity, even after ten thousand unknown key ids")
    func boundedMemory() async throws {
        try await KeyEndpoint.withSource { endpoint, source, url, clock in
            let known = try await source.keys(at: url)
            func ask(_ number: Int) async throws -> Int {
                let keyID = "\(number)" + String(repeating: "x", count: 1000)
                _ = try await source.newerKeys(at: url, than: known, keyID: keyID)
                return endpoint.fetches
            }
            // These two use up the burst, and the next fetch is permitted after a minute.
            for number in 1...2 { #expect(try await ask(-number) == 1 + number) }
            clock.advance(by: .seconds(30))
            for number in 0..<10_000 { #expect(try await ask(number) == 3) }
            clock.advance(by: .seconds(30))
            let oldest = 10_000 - KeySetRefetchLimiter.capacity
            #expect(try await ask(oldest) == 3)
            #expect(try await ask(oldest - 1) == 4)
        }
    }

    @Test("keys are fetched in the background before they expire; a failed fetch has no effect")
    func refreshAhead() async throws {
        try await KeyEndpoint.withSource { endpoint, source, url, clock in
            endpoint.send(cacheControl: "max-age=1000")
            let first = try await source.keys(at: url)
            clock.advance(by: .seconds(799))
            _ = try await source.keys(at: url)
            await source.flights.drain()
            #expect(endpoint.fetches == 1)
            clock.advance(by: .seconds(1))
            endpoint.answer(with: 503)
            #expect(try await source.keys(at: url).freshUntil == first.freshUntil)
            await source.flights.drain()
            #expect(endpoint.fetches == 2)
            endpoint.answer(with: 200)
            // Callers get the current keys and do not wait for the fetch.
            let (arrival, release) = endpoint.holdNext()
            defer { release.open() }
            #expect(try await source.keys(at: url).fetch == first.fetch)
            try #require(source.flights.isUnderWay(.init(url: url.text, origin: .requested)))
            await arrival.wait()
            #expect(try await source.keys(at: url).fetch == first.fetch)
            release.open()
            await source.flights.drain()
            #expect(try await source.keys(at: url).freshUntil == .seconds(1800))
            #expect(endpoint.fetches == 3)
            #expect(KeySetSnapshot.lead(.seconds(86_400)) == .seconds(300))
        }
    }
}
