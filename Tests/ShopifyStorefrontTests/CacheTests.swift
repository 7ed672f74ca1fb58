import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import TestGuides
import Testing

@Suite struct CacheTests {
    private let clock = ManualClock(isAdvancedBySleeping: true)
    private let cache = InMemoryResponseCache()
    private static let minute = CachePolicy.cacheFirst(expireIn: .seconds(60))
    private static let fallback = CachePolicy.networkFirst(expireIn: .seconds(60))

    /// A Storefront whose answers are numbered.
    private func numbered() async throws -> FakeStorefront {
        try await FakeStorefront.start((1...50).map { .json(#"{"data":{"shop":{"name":"\#($0)"}}}"#) })
    }

    private func client(_ storefront: FakeStorefront, _ policy: CachePolicy = minute) throws -> StorefrontClient {
        try storefront.client(clock: clock, cache: cache, cachePolicy: policy)
    }

    private func name(
        _ client: StorefrontClient,
        _ context: StorefrontContext = StorefrontContext(),
        _ policy: CachePolicy? = nil
    ) async throws -> String {
        try await client.execute(Probe<Shared>(), in: context, cachePolicy: policy).data.name
    }

    // MARK: Policies

    @Test("networkOnly neither reads the cache nor writes it", .row("A6"))
    func networkOnly() async throws {
        let storefront = try await numbered()
        let client = try client(storefront, .networkOnly)
        #expect(try await name(client) == "1")
        #expect(try await name(client) == "2")
        #expect(cache.count == 0)
    }

    @Test("cacheFirst answers from the cache until the response expires, and returns its age", .row("A6"))
    func cacheFirst() async throws {
        let storefront = try await numbered()
        let client = try client(storefront)
        #expect(try await name(client) == "1")
        clock.advance(by: .seconds(59))
        let hit = try await client.execute(Probe<Shared>())
        #expect(hit.data.name == "1")
        guard case .cache(let age) = hit.origin else {
            Issue.record("not from the cache")
            return
        }
        #expect(age == .seconds(59))
        clock.advance(by: .seconds(1))
        #expect(try await name(client) == "2")
    }

    @Test("expiry uses the monotonic clock")
    func wallClock() async throws {
        let storefront = try await numbered()
        let client = try client(storefront)
        _ = try await name(client)
        clock.jump(by: 100_000)
        #expect(try await name(client) == "1")
        clock.jump(by: -200_000)
        clock.advance(by: .seconds(60))
        #expect(try await name(client) == "2")
    }

    @Test("an expiry of zero is never fresh")
    func zeroExpiry() async throws {
        let storefront = try await numbered()
        let client = try client(storefront, .cacheFirst(expireIn: .zero))
        #expect(try await name(client) == "1")
        #expect(try await name(client) == "2")
    }

    @Test("networkFirst uses the network, and on failure returns the old response with the error", .row("A6"))
    func networkFirst() async throws {
        let storefront = try await numbered()
        let client = try client(storefront, Self.fallback)
        #expect(try await name(client) == "1")
        #expect(try await name(client) == "2")
        clock.advance(by: .seconds(10))
        for failure in [LoopbackResponse.status(503), .throttled, .script([.reset]), .status(430)] {
            storefront.now { _ in failure }
            let result = try await client.execute(Probe<Shared>())
            #expect(result.data.name == "2")
            guard case .stale(let age, let error) = result.origin else {
                Issue.record("not flagged")
                return
            }
            #expect(age == .seconds(10) && error.kind == .retryLater)
        }
        clock.advance(by: .seconds(50))
        storefront.now { _ in .status(503) }
        let error = await #expect(throws: IdentityError.self) { try await name(client) }
        #expect(error?.kind == .retryLater)
    }

    @Test("no old response hides a rejection", arguments: [401, 402, 403, 404, 423, 400])
    func refusal(status: Int) async throws {
        let storefront = try await numbered()
        let client = try client(storefront, Self.fallback)
        _ = try await name(client)
        storefront.now { _ in .status(status) }
        let error = await #expect(throws: IdentityError.self) { try await name(client) }
        #expect(error?.providerAnswer?.status == status)
    }

    @Test("cacheOnly sends no request, and a miss has its own error code", .row("A6"))
    func cacheOnly() async throws {
        let storefront = try await numbered()
        let client = try client(storefront)
        let miss = await #expect(throws: IdentityError.self) { try await name(client, StorefrontContext(), .cacheOnly) }
        #expect(miss?.code == .cacheMiss && miss?.kind == .rejected && storefront.calls.isEmpty)
        _ = try await name(client)
        clock.advance(by: .seconds(100_000))
        #expect(try await name(client, StorefrontContext(), .cacheOnly) == "1")
        #expect(storefront.calls.count == 1)
        let without = try storefront.client(clock: clock, cachePolicy: .cacheOnly)
        let none = await #expect(throws: IdentityError.self) { try await name(without) }
        #expect(none?.code == .cacheMiss && storefront.calls.count == 1)
    }

    // MARK: What is never kept

    @Test("mutations, personal documents and calls for a buyer are never cached")
    func neverKept() async throws {
        let storefront = try await numbered()
        let client = try client(storefront)
        let buyer = CustomerAccessToken(issuedByShopify: Secret("t"), expiresAt: nil, issuer: "i")
        for _ in 0..<2 {
            _ = try await client.execute(Probe<Sets>())
            _ = try await client.execute(Probe<Personal>())
            _ = try await client.execute(Probe<Shared>(), in: StorefrontContext(buyer: buyer))
            _ = try await client.execute(Probe<Contextual>(), in: StorefrontContext(buyer: buyer))
        }
        #expect(cache.count == 0)
        let miss = await #expect(throws: IdentityError.self) {
            try await client.execute(Probe<Personal>(), cachePolicy: .cacheOnly)
        }
        #expect(miss?.code == .cacheMiss)
    }

    @Test(
        "a document written by hand that names a buyer among its own variables is never kept, whatever it says of itself"
    )
    func buyerVariable() async throws {
        let storefront = try await numbered()
        let client = try client(storefront)
        var named = Probe<Contextual>()
        named.variables.set("buyer", NamedBuyer())
        for number in 1...2 { #expect(try await client.execute(named).data.name == "\(number)") }
        #expect(cache.count == 0)
        let miss = await #expect(throws: IdentityError.self) {
            try await client.execute(named, cachePolicy: .cacheOnly)
        }
        #expect(miss?.code == .cacheMiss)
        // Nobody is named by a null.
        var nobody = Probe<Contextual>()
        nobody.variables.set("buyer", InputField<NamedBuyer>.null)
        for _ in 0..<2 { #expect(try await client.execute(nobody).data.name == "3") }
        #expect(cache.count == 1)
    }

    @Test("a response with errors is never cached, because a later hit would hide them")
    func errors() async throws {
        let partial = LoopbackResponse.json(#"{"data":{"shop":{"name":"Mugs"}},"errors":[{"message":"no"}]}"#)
        let storefront = try await FakeStorefront.start([partial])
        let client = try client(storefront)
        for _ in 0..<2 { #expect(try await client.execute(Probe<Shared>()).errors.count == 1) }
        _ = try await client.executePartial(Probe<Shared>())
        #expect(cache.count == 0 && storefront.calls.count == 3)
    }

    @Test("an unreadable response is never cached")
    func unreadable() async throws {
        let storefront = try await FakeStorefront.start([.json(#"{"data":{"shop":{}}}"#), .mugs])
        let client = try client(storefront)
        let error = await #expect(throws: IdentityError.self) { try await name(client) }
        #expect(error?.code == .unexpectedResponse && cache.count == 0)
        #expect(try await name(client) == "Mugs")
    }

    @Test(
        "callers that miss the same response at once share one request, and cancelling one does not end it for the others"
    )
    func stampede() async throws {
        let gate = Gate()
        let storefront = try await FakeStorefront.start { _ in
            await gate.wait()
            return .mugs
        }
        let spy = Spy()
        let client = try storefront.client(clock: clock, cache: spy, cachePolicy: Self.minute)
        let first = Task { try await name(client) }
        while storefront.calls.isEmpty { await Task.yield() }
        let others = (0..<20).map { _ in Task { try await name(client) } }
        while await spy.questions < 21 { await Task.yield() }
        first.cancel()
        let left = await #expect(throws: IdentityError.self) { try await first.value }
        #expect(left?.kind == .cancelled)
        gate.open()
        for other in others { #expect(try await other.value == "Mugs") }
        #expect(storefront.calls.count == 1)
    }

    // MARK: The key

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

    @Test("the order of variables does not matter, nor does context that the document does not declare")
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

    @Test("bytes are limited, and a response that would take a quarter of them is not cached")
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

    @Test("neither key nor entry reveals the token or a response")
    func secrecy() async throws {
        let canary = SecretCanary()
        let token = canary.plant("token")
        let country = canary.plant("country")
        let spy = Spy()
        let storefront = try await FakeStorefront.start([
            .json(#"{"data":{"shop":{"name":"\#(canary.plant("answer"))"}}}"#)
        ])
        let client = try storefront.client(
            .privateToken(Secret(token)),
            clock: clock,
            cache: spy,
            cachePolicy: Self.minute
        )
        _ = try await name(client, StorefrontContext(country: country))
        let (key, response) = try #require(await spy.stored)
        #expect(canary.findings(in: key).isEmpty && canary.findings(in: response).isEmpty)
        #expect(key.rawValue.utf8.count == 64)
    }
}

/// A cache that shows what it was given.
private actor Spy: ResponseCache {
    var stored: (ResponseCacheKey, CachedResponse)?
    var questions = 0

    func response(for key: ResponseCacheKey) async -> CachedResponse? {
        questions += 1
        return nil
    }

    func store(_ response: CachedResponse, for key: ResponseCacheKey) async { stored = (key, response) }
    func removeAll(for session: SessionID) async {}
    func removeAll() async {}
}

/// A buyer in a document's own variables.
private struct NamedBuyer: GraphQLWritable {
    var graphQLValue: JSONValue { .object(["customerAccessToken": .string("t")]) }
}
