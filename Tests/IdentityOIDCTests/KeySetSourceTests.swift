import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityOIDC
import IdentityTesting
import Synchronization
import Testing

/// A key set endpoint on a real socket that counts, and that can change its keys or go down.
private final class KeyEndpoint: Sendable {
    private struct State {
        var fetches = 0
        var keys: [JSONValue] = []
        var isDown = false
        var isMissing = false
        var cacheControl: String?
    }

    private let state = Mutex(State())

    var fetches: Int { state.withLock { $0.fetches } }

    func publish(_ keys: [JSONValue]) {
        state.withLock { $0.keys = keys }
    }

    func goDown() {
        state.withLock { $0.isDown = true }
    }

    func goMissing() {
        state.withLock { $0.isMissing = true }
    }

    func cache(_ value: String) {
        state.withLock { $0.cacheControl = value }
    }

    func answer() -> LoopbackResponse {
        state.withLock { state in
            state.fetches += 1
            guard !state.isDown else { return .message(status: 503, headers: [], body: []) }
            let set: JSONValue = .object(["keys": .array(state.keys)])
            let caching = state.cacheControl.map { [("Cache-Control", $0)] } ?? []
            return .message(status: state.isMissing ? 404 : 200, headers: caching, body: set.serialized)
        }
    }
}

@Suite("Key sets")
struct KeySetSourceTests {
    private func withSource(
        _ body: (KeyEndpoint, KeySetSource, HTTPURL, ManualClock) async throws -> Void
    ) async throws {
        let endpoint = KeyEndpoint()
        let server = try await LoopbackServer.start { _ in endpoint.answer() }
        let transport = try CurlTransport()
        let clock = ManualClock()
        let channel = ProviderChannel(
            environment: IdentityEnvironment(transport: transport, clock: clock),
            timeout: .seconds(5),
            allowsLoopbackHTTP: true,
            configuredHosts: []
        )
        try await body(endpoint, KeySetSource(channel: channel), try HTTPURL(server.origin + "/jwks"), clock)
        await server.stop()
        await transport.close()
    }

    @Test("keys are fetched once for all who wait, and kept")
    func singleFetch() async throws {
        try await withSource { endpoint, source, url, _ in
            endpoint.publish([try TokenForge(.es256).jwk])
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<50 { group.addTask { try await source.keys(at: url).keys.count } }
                for try await count in group { #expect(count == 1) }
            }
            #expect(endpoint.fetches == 1)
        }
    }

    @Test("ten thousand unknown key ids cost no more than the bucket, and one more fetch a minute")
    func flood() async throws {
        try await withSource { endpoint, source, url, clock in
            endpoint.publish([try TokenForge(.es256).jwk])
            let revision = try await source.keys(at: url).revision
            var latest = revision
            for _ in 0..<10_000 {
                if try await source.newerKeys(at: url, than: latest) != nil {
                    latest = try await source.keys(at: url).revision
                }
            }
            #expect(endpoint.fetches == 3)
            clock.advance(by: .seconds(60))
            #expect(try await source.newerKeys(at: url, than: latest) != nil)
            #expect(endpoint.fetches == 4)
        }
    }

    @Test("a rotation just before signing passes at once")
    func rotation() async throws {
        try await withSource { endpoint, source, url, _ in
            endpoint.publish([try TokenForge(.es256).jwk])
            let revision = try await source.keys(at: url).revision
            let forge = try TokenForge(.es256)
            endpoint.publish([forge.jwk])
            let newer = try #require(try await source.newerKeys(at: url, than: revision))
            _ = try IDTokenValidator.validate(try forge.token(), keys: newer, expecting: TokenForge.expectations())
        }
    }

    @Test(
        "a page in the place of the keys passes, a redirect and lies do not",
        arguments: [
            (200, "<html>", "retry_later"), (200, "", "retry_later"), (503, "", "retry_later"), (302, "", "rejected"),
            (200, "{}", "rejected"), (200, #"{"keys":[],"keys":[]}"#, "rejected"),
        ]
    )
    func unreadable(status: Int, body: String, kind: String) async throws {
        let server = try await LoopbackServer.start { _ in .message(status: status, body: Array(body.utf8)) }
        let channel = ProviderChannel(
            environment: IdentityEnvironment(transport: try CurlTransport(), clock: ManualClock()),
            timeout: .seconds(5),
            allowsLoopbackHTTP: true,
            configuredHosts: []
        )
        let error = await #expect(throws: IdentityError.self) {
            _ = try await KeySetSource(channel: channel).keys(at: try HTTPURL(server.origin + "/jwks"))
        }
        #expect(error?.kind.rawValue == kind)
        await server.stop()
    }

    @Test("an outage never evicts good keys")
    func outage() async throws {
        try await withSource { endpoint, source, url, clock in
            endpoint.publish([try TokenForge(.es256).jwk])
            _ = try await source.keys(at: url)
            endpoint.goDown()
            clock.advance(by: .seconds(90_000))
            #expect(try await source.keys(at: url).keys.count == 1)
        }
    }

    @Test(
        "keys stay as long as the provider says, but five minutes at least and a day at most",
        arguments: [
            ("max-age=0", 300), ("public, max-age=600", 600), ("max-age=9999999", 86_400), ("no-store", 3600),
            ("max-age=99999999999999999999", 3600),
        ]
    )
    func lifetime(cacheControl: String, seconds: Int) async throws {
        try await withSource { endpoint, source, url, clock in
            endpoint.cache(cacheControl)
            _ = try await source.keys(at: url)
            clock.advance(by: .seconds(seconds - 1))
            _ = try await source.keys(at: url)
            #expect(endpoint.fetches == 1)
            clock.advance(by: .seconds(1))
            _ = try await source.keys(at: url)
            #expect(endpoint.fetches == 2)
        }
    }

    @Test("keys of one address do not answer for another, and an error page with keys in it is none")
    func address() async throws {
        try await withSource { endpoint, source, url, _ in
            let other = try HTTPURL(url.text + "/other")
            let revision = try await source.keys(at: url).revision
            _ = try await source.keys(at: other)
            #expect(endpoint.fetches == 2)
            _ = revision
            endpoint.goMissing()
            await #expect(throws: IdentityError.self) { _ = try await source.keys(at: url) }
        }
    }

    @Test(
        "who comes with an old revision gets the keys that others have fetched, without a fetch; an outage is asked for again once a minute"
    )
    func sharedNews() async throws {
        try await withSource { endpoint, source, url, clock in
            let revision = try await source.keys(at: url).revision
            #expect(try await source.newerKeys(at: url, than: revision) != nil)
            #expect(endpoint.fetches == 2)
            #expect(try await source.newerKeys(at: url, than: revision) != nil)
            #expect(endpoint.fetches == 2)
            endpoint.goDown()
            clock.advance(by: .seconds(90_000))
            for _ in 0..<3 { _ = try await source.keys(at: url) }
            #expect(endpoint.fetches == 3)
            clock.advance(by: .seconds(60))
            _ = try await source.keys(at: url)
            #expect(endpoint.fetches == 4)
        }
    }
}
