import IdentityHTTP
import IdentityKit
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import TestDoubles
import Testing

/// What the client reports if it is unclear whether Shopify executed an operation.
@Suite struct OutcomeTests {
    /// A query whose result may be null.
    private struct MaybeCart: GraphQLOperation {
        static let document = GraphQLDocument(name: "MaybeCart", kind: .query, text: "query MaybeCart { cart { id } }")
        var variables: GraphQLInputObject { GraphQLInputObject() }

        struct Output: GraphQLReadable {
            let cart: ID?
            init(_ node: GraphQLNode) throws(GraphQLReadingError) { cart = try node.field("cart") }
        }

        struct ID: GraphQLReadable {
            let id: String
            init(_ node: GraphQLNode) throws(GraphQLReadingError) { id = try node.field("id") }
        }
    }

    private static func error(_ code: String, _ path: String = "[]") -> String {
        #"{"message":"x","path":\#(path),"extensions":{"code":"\#(code)"}}"#
    }

    private func client(
        _ storefront: FakeStorefront,
        _ clock: ManualClock = ManualClock(isAdvancedBySleeping: true),
        observers: [any GraphQLObserver] = []
    ) throws -> StorefrontClient {
        try storefront.client(clock: clock, retry: .standard, observers: observers)
    }

    @Test(
        "a null result with errors is a failure and is not read as a missing object",
        arguments: ["THROTTLED", "INTERNAL_SERVER_ERROR", "ACCESS_DENIED"]
    )
    func nullBesideErrors(code: String) async throws {
        let storefront = try await FakeStorefront.start([
            .json(#"{"data":{"cart":null},"errors":[\#(Self.error(code))]}"#)
        ])
        await #expect(throws: IdentityError.self) { _ = try await client(storefront).execute(MaybeCart()) }
        let empty = try await FakeStorefront.start([.json(#"{"data":{"cart":null}}"#)])
        #expect(try await client(empty).execute(MaybeCart()).data.cart == nil)
    }

    @Test(
        "after an error inside the result of a mutation, with any code, the outcome is unknown, and it is not sent again",
        arguments: [
            #"{"data":{"shop":{"name":null}},"errors":[\#(error("THROTTLED", #"["shop","name"]"#))]}"#,
            #"{"data":{"shop":null},"errors":[\#(error("THROTTLED", #"["shop","name"]"#))]}"#,
            #"{"data":null,"errors":[\#(error("TIMEOUT", #"["shop","name"]"#))]}"#,
            #"{"data":null,"errors":[\#(error("INTERNAL_SERVER_ERROR", #"["a"]"#)),\#(error("THROTTLED", #"["b"]"#))]}"#,
            #"{"data":{"shop":{}}}"#,
        ]
    )
    func carriedOut(answer: String) async throws {
        let storefront = try await FakeStorefront.start([.json(answer), .mugs])
        let error = await #expect(throws: IdentityError.self) {
            _ = try await client(storefront).execute(Probe<Adds>())
        }
        #expect(error?.code == .outcomeUnknown)
        #expect(storefront.calls.count == 1)
    }

    private static let unavailable = #""userErrors":[{"code":"SERVICE_UNAVAILABLE","message":"x"}]"#

    @Test(
        "an operation with two fields is not repeated after SERVICE_UNAVAILABLE in one of them",
        arguments: [
            #"{"shop":{"name":"done"},"other":{\#(unavailable)}}"#,
            #"{"shop":{"name":"done",\#(unavailable)},"other":{}}"#,
        ]
    )
    func twoFields(data: String) async throws {
        let storefront = try await FakeStorefront.start([.json(#"{"data":\#(data)}"#), .mugs])
        #expect(try await client(storefront).execute(Probe<Adds>()).data.name == "done")
        #expect(storefront.calls.count == 1)
    }

    @Test(
        "a failure after bytes were sent is an unknown outcome, with any error code",
        arguments: [HTTPTransportError.Code.closed, .tlsFailed, .timedOut]
    )
    func ambiguous(code: HTTPTransportError.Code) async throws {
        let transport = NoNetwork(HTTPTransportError(code: code, phase: .ambiguous, message: "x"))
        let client = StorefrontClient(
            configuration: try StorefrontConfiguration(shopDomain: "shop.example", authentication: .tokenless),
            environment: IdentityEnvironment(
                transport: transport,
                clock: ManualClock(isAdvancedBySleeping: true)
            )
        )
        let error = await #expect(throws: IdentityError.self) { _ = try await client.execute(Probe<Adds>()) }
        #expect(error?.code == .outcomeUnknown)
    }

    @Test("an operation that adds something cannot be polled")
    func pollOfAddition() async throws {
        let storefront = try await FakeStorefront.start([.mugs])
        let error = await #expect(throws: IdentityError.self) {
            _ = try await client(storefront).poll(
                Probe<Adds>(),
                every: .seconds(1),
                timeout: .seconds(9),
                hint: { _ in nil },
                until: { _ in false }
            )
        }
        #expect(error?.code == .invalidRequest)
        #expect(storefront.calls.isEmpty)
    }

    @Test("an outage at the end of polling is reported as a timeout of the polling")
    func pollOutage() async throws {
        let clock = ManualClock(isAdvancedBySleeping: true)
        let storefront = try await FakeStorefront.start([.mugs, .status(503)])
        let error = await #expect(throws: IdentityError.self) {
            _ = try await client(storefront, clock).poll(
                Probe<Shared>(),
                every: .milliseconds(59_950),
                timeout: .seconds(60),
                hint: { _ in nil },
                until: { _ in false }
            )
        }
        #expect(error?.code == .pollTimeout)
        #expect(clock.elapsed <= .seconds(62))
    }

    @Test("Retry-After is also observed for an error THROTTLED in a response with status 200")
    func retryAfterOfThrottled() async throws {
        let clock = ManualClock(isAdvancedBySleeping: true)
        let throttled = #"{"errors":[\#(Self.error("THROTTLED"))]}"#
        let storefront = try await FakeStorefront.start([.json(throttled, [("Retry-After", "5")]), .mugs])
        _ = try await client(storefront, clock).execute(Probe<Shared>())
        #expect(clock.elapsed >= .seconds(5))
    }

    @Test("the last event of an operation has the number of attempts and the request's id")
    func lastEvent() async throws {
        let recorder = EventRecorder()
        let storefront = try await FakeStorefront.start([
            .status(503), .json(#"{"data":{"shop":{"name":"Mugs"}}}"#, [("X-Request-Id", "req-2")]),
        ])
        _ = try await client(storefront, observers: [recorder]).execute(Probe<Shared>())
        let last = try #require(recorder.events.last)
        #expect(last.kind == .finished(nil))
        #expect(last.attempts == 2)
        #expect(last.requestID == "req-2")
    }

    @Test("a mutation's response with neither cart nor error is an unknown outcome, and not the error cart_gone")
    func silentMutation() throws {
        let payload = try CartPayload(
            GraphQLNode(parsing: Array(#"{"cart":null,"userErrors":[],"warnings":[]}"#.utf8))
        )
        let error = #expect(throws: IdentityError.self) { try payload.checked() }
        #expect(error?.code == .outcomeUnknown && error?.kind == .retryLater)
    }

    @Test("no response is cached for a session that has ended while the request was running")
    func lateResponse() async throws {
        let cache = InMemoryResponseCache()
        let storefront = try await FakeStorefront.start { _ in .mugs }
        let session = try #require(SessionID(rawValue: String(repeating: "A", count: 22)))
        storefront.now { _ in
            await cache.removeAll(for: session)
            return .mugs
        }
        let client = try storefront.client(cache: cache, cachePolicy: .cacheFirst(expireIn: .seconds(60)))
        _ = try await client.execute(Probe<Shared>(), in: StorefrontContext(session: session))
        #expect(cache.count == 0)
    }

    @Test("of a response with 50,000 errors, only the first 100 are read")
    func manyErrors() async throws {
        let errors = Array(repeating: #"{"message":"x","path":[1,[2]]}"#, count: 50_000).joined(separator: ",")
        let storefront = try await FakeStorefront.start([.json(#"{"errors":[\#(errors)]}"#)])
        let result = try await client(storefront).executePartial(Probe<Shared>())
        #expect(result.errors.count == 100)
        let large = Array(repeating: "7", count: 50_000).joined(separator: ",")
        let one = try await FakeStorefront.start([.json(#"{"errors":[{"message":"x","path":[\#(large)]}]}"#)])
        #expect(try await client(one).executePartial(Probe<Shared>()).errors.map(\.path) == [[]])
    }
}
