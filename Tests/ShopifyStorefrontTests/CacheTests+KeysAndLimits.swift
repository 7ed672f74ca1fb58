import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import Synchronization
import Testing

extension CacheTests {
    @Test("another language, country, token, version or operation has another cache key")
    func keys() async throws {
        let storefront = try await numbered()
        let client = try client(storefront)
        #expect(try await name(client, StorefrontContext(country: "CA")) == "1")
        #expect(try await name(client, StorefrontContext(country: "FR")) == "2")
        #expect(try await client.execute(Probe<Contextual>()).data.name == "3")
        #expect(try await client.execute(Probe<Contextual>(), in: StorefrontContext(language: "FR")).data.name == "4")
        let others = [
            try storefront.client(.privateToken(Secret("other")), clock: clock, cache: cache, cachePolicy: Self.minute),
            try storefront.client(.publicToken("other"), clock: clock, cache: cache, cachePolicy: Self.minute),
            try storefront.client(.tokenless, clock: clock, cache: cache, cachePolicy: Self.minute),
            try storefront.client(clock: clock, version: .v2026_07, cache: cache, cachePolicy: Self.minute),
        ]
        for (index, other) in others.enumerated() {
            #expect(try await name(other, StorefrontContext(country: "CA")) == "\(index + 5)")
        }
        #expect(try await name(client, StorefrontContext(country: "CA")) == "1")
    }

    @Test("the cache key depends neither on the order of variables nor on context that the document does not declare")
    func canonical() async throws {
        let storefront = try await numbered()
        let client = try client(storefront)
        var (one, two) = (Probe<Shared>(), Probe<Shared>())
        one.variables.set("a", "1")
        one.variables.set("b", "2")
        two.variables.set("b", "2")
        two.variables.set("a", "1")
        #expect(try await client.execute(one).data.name == "1")
        #expect(try await client.execute(two, in: StorefrontContext(language: "FR")).data.name == "1")
        two.variables.set("a", "2")
        #expect(try await client.execute(two).data.name == "2")
    }

    // MARK: Purging and bounds

    @Test("a session's cached responses are only for that session, and are removed when the buyer signs out")
    func sessions() async throws {
        let provider = ClaimProvider(.none, clock: ManualClock())
        let sessions = SessionManager(
            providers: try ProviderRegistry([provider]),
            store: InMemoryStore(),
            environment: IdentityEnvironment(transport: try CurlTransport())
        )
        let purging = CachePurging(cache)
        sessions.add(purging)
        let one = StorefrontContext(session: try await sessions.establish(provider.tokens(1), provider: "test").id)
        let two = StorefrontContext(session: try await sessions.establish(provider.tokens(2), provider: "test").id)
        let storefront = try await numbered()
        let client = try client(storefront)
        #expect(try await name(client, one) == "1")
        #expect(try await name(client, two) == "2")
        #expect(try await name(client) == "3")
        #expect(try await name(client, one) == "1")
        _ = try await sessions.logout(#require(one.session))
        #expect(try await name(client, one) == "4")
        #expect(try await name(client, two) == "2")
        #expect(try await name(client) == "3")
        await cache.removeAll()
        #expect(cache.count == 0 && cache.bytes == 0)
        #expect(try await name(client) == "5")
        withExtendedLifetime(purging) {}
    }

    @Test("entries are limited, and the least recently used is removed first")
    func entries() async throws {
        let cache = InMemoryResponseCache(maximumEntries: 3)
        let storefront = try await numbered()
        let client = try storefront.client(clock: clock, cache: cache, cachePolicy: Self.minute)
        for country in ["AA", "BB", "CC"] { _ = try await name(client, StorefrontContext(country: country)) }
        #expect(try await name(client, StorefrontContext(country: "AA")) == "1")
        #expect(try await name(client, StorefrontContext(country: "DD")) == "4")
        #expect(cache.count == 3)
        #expect(try await name(client, StorefrontContext(country: "AA")) == "1")
        #expect(try await name(client, StorefrontContext(country: "BB")) == "5")
    }

    @Test("bytes are limited, and a response of more than a quarter of the limit is not cached")
    func bytes() async throws {
        let cache = InMemoryResponseCache(maximumBytes: 10_000)
        let storefront = try await FakeStorefront.start { call in
            let size = call.variables["size"]?.number?.integer ?? 0
            return .json(#"{"data":{"shop":{"name":"\#(String(repeating: "x", count: size))"}}}"#)
        }
        let client = try storefront.client(clock: clock, cache: cache, cachePolicy: Self.minute)
        var large = Probe<Shared>()
        large.variables.set("size", 3000)
        _ = try await client.execute(large)
        #expect(cache.count == 0 && cache.bytes == 0)
        for size in 0..<50 {
            var operation = Probe<Shared>()
            operation.variables.set("size", 500 + size)
            _ = try await client.execute(operation)
            #expect(cache.bytes <= 10_000)
        }
        #expect((5...8).contains(cache.count))
    }

    @Test("a printed cache key or entry shows neither the token nor the response")
    func secrecy() async throws {
        let canary = SecretCanary()
        let token = canary.plant("token")
        let country = canary.plant("country")
        let recorder = RecordingCache()
        let storefront = try await FakeStorefront.start([
            .json(#"{"data":{"shop":{"name":"\#(canary.plant("answer"))"}}}"#)
        ])
        let client = try storefront.client(
            .privateToken(Secret(token)),
            clock: clock,
            cache: recorder,
            cachePolicy: Self.minute
        )
        _ = try await name(client, StorefrontContext(country: country))
        let (key, response) = try #require(recorder.stored)
        #expect(canary.findings(in: key).isEmpty && canary.findings(in: response).isEmpty)
        #expect(key.rawValue.utf8.count == 64)
    }
}

final class RecordingCache: ResponseCache {
    private let state = Mutex<(stored: (ResponseCacheKey, CachedResponse)?, questions: Int)>((nil, 0))
    var stored: (ResponseCacheKey, CachedResponse)? { state.withLock { $0.stored } }
    var questions: Int { state.withLock { $0.questions } }

    func response(for key: ResponseCacheKey) async -> CachedResponse? {
        state.withLock { $0.questions += 1 }
        return nil
    }

    func store(_ response: CachedResponse, for key: ResponseCacheKey) async {
        state.withLock { $0.stored = (key, response) }
    }
    func removeAll(for session: SessionID) async {}
    func removeAll() async {}
}
