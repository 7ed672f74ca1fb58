import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import TestDoubles
import TestGuides
import Testing

@Suite struct CacheTests {
    let clock = ManualClock(isAdvancedBySleeping: true)
    let cache = InMemoryResponseCache()
    static let minute = CachePolicy.cacheFirst(expireIn: .seconds(60))
    static let fallback = CachePolicy.networkFirst(expireIn: .seconds(60))

    /// A Storefront that numbers its responses.
    func numbered() async throws -> FakeStorefront {
        try await FakeStorefront.start((1...50).map { .json(#"{"data":{"shop":{"name":"\#($0)"}}}"#) })
    }

    func client(_ storefront: FakeStorefront, _ policy: CachePolicy = minute) throws -> StorefrontClient {
        try storefront.client(clock: clock, cache: cache, cachePolicy: policy)
    }

    func name(
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

    @Test("cacheFirst uses the cache until the response expires, and returns its age", .row("A6"))
    func cacheFirst() async throws {
        let storefront = try await numbered()
        let client = try client(storefront)
        #expect(try await name(client) == "1")
        clock.advance(by: .seconds(59))
        let hit = try await client.execute(Probe<Shared>())
        #expect(hit.data.name == "1")
        guard case .cache(let age) = hit.origin else {
            Issue.record("The response did not come from the cache.")
            return
        }
        #expect(age == .seconds(59))
        clock.advance(by: .seconds(1))
        #expect(try await name(client) == "2")
    }

    @Test("a cached response expires by the monotonic clock, so a changed system time has no effect")
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

    @Test("with an expiry of zero no cached response is used")
    func zeroExpiry() async throws {
        let storefront = try await numbered()
        let client = try client(storefront, .cacheFirst(expireIn: .zero))
        #expect(try await name(client) == "1")
        #expect(try await name(client) == "2")
    }

    @Test(
        "networkFirst uses the network, and after a temporary failure returns the cached response with the error",
        .row("A6")
    )
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
                Issue.record("The response is not marked as stale.")
                return
            }
            #expect(age == .seconds(10) && error.kind == .retryLater)
        }
        clock.advance(by: .seconds(50))
        storefront.now { _ in .status(503) }
        let error = await #expect(throws: IdentityError.self) { try await name(client) }
        #expect(error?.kind == .retryLater)
    }

    @Test("no cached response is returned when Shopify rejects the request", arguments: [401, 402, 403, 404, 423, 400])
    func refusal(status: Int) async throws {
        let storefront = try await numbered()
        let client = try client(storefront, Self.fallback)
        _ = try await name(client)
        storefront.now { _ in .status(status) }
        let error = await #expect(throws: IdentityError.self) { try await name(client) }
        #expect(error?.providerResponse?.status == status)
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

    // MARK: Responses that are never cached

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
        "a custom document with a buyer in its own variables is never cached, even if it is declared as not personal"
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
        // A null value names no buyer.
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
        let recorder = RecordingCache()
        let client = try storefront.client(clock: clock, cache: recorder, cachePolicy: Self.minute)
        let first = Task { try await name(client) }
        while storefront.calls.isEmpty { await Task.yield() }
        let others = (0..<20).map { _ in Task { try await name(client) } }
        while recorder.questions < 21 { await Task.yield() }
        first.cancel()
        let left = await #expect(throws: IdentityError.self) { try await first.value }
        #expect(left?.kind == .cancelled)
        gate.open()
        for other in others { #expect(try await other.value == "Mugs") }
        // A caller that has asked the cache and joins only after the response sends its own request.
        #expect(storefront.calls.count <= 5)
    }
}

/// A buyer in a document's own variables.
private struct NamedBuyer: GraphQLWritable {
    var graphQLValue: JSONValue { .object(["customerAccessToken": .string("t")]) }
}
