import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import Synchronization
import TestGuides
import Testing

@Suite struct RetryTests {
    /// The number of requests that a shop receives, the elapsed time of a clock that sleeping advances, and the result.
    private struct Run {
        var sent = 0
        var waited = Duration.zero
        var name: String?
        var error: IdentityError?
    }

    private func run<Document: ProbeDocument>(
        _ document: Document.Type,
        _ answers: [LoopbackResponse],
        _ retry: RetryLimits = .standard,
        observers: [any GraphQLObserver] = []
    ) async throws -> Run {
        let storefront = try await FakeStorefront.start(answers)
        let clock = ManualClock(isAdvancedBySleeping: true)
        let client = try storefront.client(clock: clock, retry: retry, observers: observers)
        var run = Run()
        do { run.name = try await client.execute(Probe<Document>()).data.name } catch {
            run.error = try #require(error as? IdentityError)
        }
        run.sent = storefront.calls.count
        run.waited = clock.elapsed
        return run
    }

    @Test(
        "an operation that Shopify has not executed is sent again, also a mutation",
        arguments: [LoopbackResponse.throttled, .status(429), .status(429, retryAfter: "2")]
    )
    func notCarriedOut(answer: LoopbackResponse) async throws {
        for run in [
            try await run(Shared.self, [answer, .mugs]), try await run(Pays.self, [answer, .mugs]),
            try await run(Adds.self, [answer, .mugs]),
        ] {
            #expect(run.sent == 2 && run.name == "Mugs")
        }
    }

    @Test(
        "a mutation with the user error SERVICE_UNAVAILABLE is repeated, and the last response is returned if the error persists"
    )
    func unavailable() async throws {
        let recorder = EventRecorder()
        let repaired = try await run(Adds.self, [.unavailable, .mugs], observers: [recorder])
        #expect(repaired.sent == 2 && repaired.name == "Mugs")
        #expect(recorder.kinds.map(\.detail) == ["provider_unavailable", nil])
        let stays = try await run(Adds.self, [.unavailable])
        #expect(stays.sent == 3 && stays.name == "-")
    }

    @Test("a mutation's response with a million malformed user errors is read in linear time")
    func malformedUserErrors() async throws {
        let errors = String(repeating: "1,", count: 1_000_000) + "1"
        let answer = LoopbackResponse.json(#"{"data":{"shop":{"name":"-","userErrors":[\#(errors)]}}}"#)
        #expect(try await run(Adds.self, [answer]).sent == 1)
    }

    @Test(
        "after an unknown outcome, the document's repetition decides whether the operation is sent again",
        .row("A5"),
        arguments: [
            LoopbackResponse.status(500), .status(502), .status(503), .script([.reset]), .message(status: 200),
            .json("<html>", status: 200), .json(#"{"data":{"shop""#),
            .json(#"{"data":null,"errors":[{"message":"x","extensions":{"code":"INTERNAL_SERVER_ERROR"}}]}"#),
        ]
    )
    func unknownOutcome(answer: LoopbackResponse) async throws {
        let always = [
            try await run(Shared.self, [answer, answer, .mugs]), try await run(Sets.self, [answer, answer, .mugs]),
        ]
        #expect(always.map(\.sent) == [3, 3] && always.map(\.name) == ["Mugs", "Mugs"])
        let once = try await run(Creates.self, [answer, .mugs])
        #expect(once.sent == 2 && once.name == "Mugs")
        let twice = try await run(Creates.self, [answer, answer, .mugs])
        #expect(twice.sent == 2 && twice.error != nil && twice.error?.code != .outcomeUnknown)
        for run in [try await run(Adds.self, [answer, .mugs]), try await run(Pays.self, [answer, .mugs])] {
            #expect(run.sent == 1)
            #expect(run.error?.code == .outcomeUnknown && run.error?.kind == .retryLater)
            #expect(run.error?.cause is IdentityError)
        }
    }

    @Test(
        "a refused operation is never sent again, even if the server sends Retry-After",
        arguments: [302, 400, 401, 402, 403, 404, 423]
    )
    func refusals(status: Int) async throws {
        let run = try await run(Shared.self, [.status(status, retryAfter: "1"), .mugs])
        #expect(run.sent == 1 && run.waited == .zero)
        #expect(run.error?.kind == (status == 400 ? .rejected : .configuration))
        #expect(run.error?.providerResponse?.traceID == "r-\(status)")
    }

    @Test(
        "an operation whose document Shopify rejects is never sent again",
        arguments: [
            #"{"message":"no field x"}"#,
            // Shopify's validation reports a path in the document and not in the response.
            #"""
            {"message":"Field 'x' doesn't exist on type 'Cart'","locations":[{"line":1,"column":9}],
             "path":["mutation Add","cartLinesAdd","cart","x"],"extensions":{"code":"undefinedField","typeName":"Cart"}}
            """#,
        ]
    )
    func documentErrors(error: String) async throws {
        let answer = LoopbackResponse.json(#"{"errors":[\#(error)]}"#)
        for run in [
            try await run(Shared.self, [answer, .mugs]), try await run(Adds.self, [answer, .mugs]),
            try await run(Pays.self, [answer, .mugs]),
        ] {
            #expect(run.sent == 1 && run.error?.code == .graphQLErrors && run.error?.kind == .rejected)
        }
    }

    @Test(
        "after a response without data, a mutation that adds something is sent again only for THROTTLED without the path of a field",
        arguments: [("THROTTLED", "[]", 2), ("THROTTLED", #"["a","b"]"#, 1), ("INTERNAL_SERVER_ERROR", "[]", 1)]
    )
    func codesWithoutData(code: String, path: String, sent: Int) async throws {
        let error = #"{"message":"x","path":\#(path),"extensions":{"code":"\#(code)"}}"#
        let run = try await run(Adds.self, [.json(#"{"errors":[\#(error)]}"#), .mugs])
        #expect(run.sent == sent && run.error?.code == (sent == 1 ? .outcomeUnknown : nil))
    }

    @Test("pauses double up to the maximum, and the number of attempts is limited")
    func backoff() async throws {
        let policy = RetryLimits(
            attempts: 5,
            firstPause: .seconds(1),
            maximumPause: .seconds(3),
            deadline: .seconds(100)
        )
        let run = try await run(Shared.self, [.status(500)], policy)
        #expect(run.sent == 5)
        #expect(run.waited == .seconds(1 + 2 + 3 + 3))
    }

    @Test("Retry-After is waited for in seconds, plus a random part", .row("A5"))
    func retryAfter() async throws {
        let run = try await run(Shared.self, [.status(429, retryAfter: "7"), .mugs])
        #expect(run.name == "Mugs")
        #expect(run.waited == .seconds(7) + RetryLimits.standard.firstPause)
    }

    @Test(
        "a Retry-After above the limit is returned in the error and not waited for",
        arguments: ["11", "3600", "99999999"]
    )
    func longRetryAfter(seconds: String) async throws {
        let run = try await run(Shared.self, [.status(429, retryAfter: seconds), .mugs])
        #expect(run.sent == 1 && run.waited == .zero && run.error?.code == .throttled)
        #expect(run.error?.retryAfter == .seconds(min(Int(seconds) ?? 0, 3600)))
    }

    @Test("a Retry-After that is not a number of seconds is ignored", arguments: ["-1", "1.5", "soon", ""])
    func wrongRetryAfter(text: String) async throws {
        let run = try await run(Shared.self, [.status(429, retryAfter: text), .mugs])
        #expect(run.sent == 2 && run.waited == RetryLimits.standard.firstPause)
    }

    @Test("all attempts together end before the deadline")
    func deadline() async throws {
        let policy = RetryLimits(
            attempts: 100,
            firstPause: .seconds(4),
            maximumPause: .seconds(4),
            deadline: .seconds(10)
        )
        let run = try await run(Shared.self, [.status(500)], policy)
        #expect(run.sent == 3 && run.waited == .seconds(8))
    }

    @Test("the client waits until missing cost points are restored")
    func cost() async throws {
        let answer = LoopbackResponse.json(
            #"""
            {"errors":[{"message":"Throttled","extensions":{"code":"THROTTLED"}}],"extensions":{"cost":{"requestedQueryCost":130,
            "actualQueryCost":null,"throttleStatus":{"maximumAvailable":1000.0,"currentlyAvailable":30,"restoreRate":50.0}}}}
            """#
        )
        let run = try await run(Shared.self, [answer, .mugs])
        #expect(run.name == "Mugs" && run.waited == .seconds(2) + RetryLimits.standard.firstPause)
    }

    @Test("retry limits with extreme numbers do not crash")
    func absurdPolicy() async throws {
        let huge = Duration.seconds(Int64.max)
        let policies = [
            RetryLimits(
                attempts: .max,
                firstPause: huge,
                maximumPause: huge,
                maximumRetryAfter: huge,
                deadline: huge,
                securityPause: huge
            ),
            RetryLimits(
                attempts: .min,
                firstPause: .zero - huge,
                maximumPause: .zero - huge,
                maximumRetryAfter: .zero - huge,
                deadline: .zero - huge,
                securityPause: .zero - huge
            ),
        ]
        for policy in policies {
            for answer in [
                LoopbackResponse.status(500), .status(430), .status(429, retryAfter: "99999999999999999999"),
            ] {
                #expect(try await run(Shared.self, [answer, answer, answer], policy).error?.kind == .retryLater)
            }
        }
    }

    @Test("with the retry limits none, only one attempt is made")
    func none() async throws {
        let run = try await run(Shared.self, [.throttled, .mugs], .none)
        #expect(run.sent == 1 && run.error?.code == .throttled)
    }

    /// A transport that ignores cancellation and always fails.
    private final class Stubborn: HTTPTransport {
        private let count = Mutex(0)
        var sent: Int { count.withLock { $0 } }

        func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
            count.withLock { $0 += 1 }
            return HTTPResponse(status: 500)
        }
    }

    @Test("cancelling between attempts ends the call at once, and no further request is sent")
    func cancellation() async throws {
        let transport = Stubborn()
        let recorder = EventRecorder()
        let client = StorefrontClient(
            configuration: try StorefrontConfiguration(shopDomain: "shop.example", authentication: .tokenless),
            environment: IdentityEnvironment(transport: transport, clock: ManualClock()),
            // With the default pause a slow machine would send the second request before the cancellation.
            retry: RetryLimits(firstPause: .seconds(3600), maximumPause: .seconds(3600), deadline: .seconds(7200)),
            observers: [recorder]
        )
        let task = Task { try await client.execute(Probe<Shared>()) }
        while recorder.events.isEmpty { await Task.yield() }
        task.cancel()
        let error = await #expect(throws: IdentityError.self) { try await task.value }
        #expect(error?.kind == .cancelled && transport.sent == 1)
    }

    @Test("each repetition and the end of an operation are reported as events")
    func events() async throws {
        let recorder = EventRecorder()
        _ = try await run(Shared.self, [.status(503), .throttled, .mugs], observers: [recorder])
        #expect(
            recorder.kinds == [
                .repeated(.providerUnavailable, after: .milliseconds(500)), .repeated(.throttled, after: .seconds(1)),
                .finished(nil),
            ]
        )
        #expect(recorder.kinds.map(\.name) == ["repeated", "repeated", "finished"])
        #expect(recorder.kinds.map(\.detail) == ["provider_unavailable", "throttled", nil])
        #expect(Set(recorder.events.map(\.correlationID)).count == 1)
        #expect(recorder.events.allSatisfy { $0.operation == "Shared" && $0.host == "127.0.0.1" })
    }
}
