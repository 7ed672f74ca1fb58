import Foundation
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import TestGuides
import Testing

/// The fields of the results of `cartPrepareForCompletion` and `cartCompletionAttempt` that polling needs.
private struct Attempt: GraphQLOperation {
    static let document = GraphQLDocument(
        name: "Attempt",
        kind: .query,
        text: "query Attempt { attempt { __typename } }"
    )
    var variables: GraphQLInputObject { GraphQLInputObject() }

    struct Output: GraphQLReadable {
        let state: State

        init(_ node: GraphQLNode) throws(GraphQLReadingError) { state = try node.field("attempt") }

        var hint: PollHint? {
            if let after = state.pollAfter { return .after(Date(timeIntervalSince1970: after)) }
            return state.pollDelay.map { .delay(.milliseconds($0)) }
        }
    }

    struct State: GraphQLReadable {
        let type: String
        let pollAfter: Double?
        let pollDelay: Int?

        init(_ node: GraphQLNode) throws(GraphQLReadingError) {
            type = try node.field("__typename")
            pollAfter = try node.field("pollAfter")
            pollDelay = try node.field("pollDelay")
        }
    }

    static func answer(_ type: String, _ rest: String = "", _ headers: [(String, String)] = []) -> LoopbackResponse {
        .json(#"{"data":{"attempt":{"__typename":"\#(type)"\#(rest)}}}"#, headers)
    }
}

@Suite struct PollTests {
    private let clock = ManualClock(isAdvancedBySleeping: true)

    private func poll(
        _ storefront: FakeStorefront,
        every interval: Duration = .seconds(2),
        timeout: Duration = .seconds(60)
    ) async throws -> StorefrontResult<Attempt.Output> {
        try await storefront.client(clock: clock).poll(
            Attempt(),
            every: interval,
            timeout: timeout,
            hint: { $0.hint },
            until: { $0.state.type == "Ready" }
        )
    }

    @Test("the operation is polled at the interval until its result is done", .row("A5"))
    func interval() async throws {
        let storefront = try await FakeStorefront.start([
            Attempt.answer("NotReady"), Attempt.answer("NotReady"), Attempt.answer("Ready"),
        ])
        #expect(try await poll(storefront, every: .seconds(3)).data.state.type == "Ready")
        #expect(storefront.calls.count == 3 && clock.elapsed == .seconds(6))
    }

    @Test("pollDelay is a number of milliseconds", .row("D16"))
    func delay() async throws {
        let storefront = try await FakeStorefront.start([
            Attempt.answer("Processing", #","pollDelay":750"#), Attempt.answer("Ready"),
        ])
        _ = try await poll(storefront)
        #expect(clock.elapsed == .milliseconds(750))
    }

    @Test(
        "pollAfter is compared with the server's time, so a wrong clock of this machine has no effect",
        .row("D4"),
        arguments: [-7200.0, 0, 7200]
    )
    func after(skew: Double) async throws {
        clock.jump(by: skew)
        // Sat, 21 Nov 2026 10:00:00 GMT, and five seconds later.
        let storefront = try await FakeStorefront.start([
            Attempt.answer(
                "Throttled",
                #","pollAfter":1795255205"#,
                [("Date", "Sat, 21 Nov 2026 10:00:00 GMT")]
            ),
            Attempt.answer("Ready"),
        ])
        _ = try await poll(storefront)
        #expect(clock.elapsed == .seconds(5))
    }

    @Test("the pause before the next poll has a minimum and a maximum, also after an extreme hint")
    func wrongHints() async throws {
        let past = try await FakeStorefront.start([
            Attempt.answer("Throttled", #","pollAfter":1"#), Attempt.answer("Ready"),
        ])
        _ = try await poll(past)
        #expect(clock.elapsed == .milliseconds(100))
        let far = try await FakeStorefront.start([
            Attempt.answer("Processing", #","pollDelay":99999999999"#), Attempt.answer("Ready"),
        ])
        _ = try await poll(far)
        #expect(clock.elapsed == .milliseconds(60_100))
        for time in ["1e300", "-1e300"] {
            let absurd = try await FakeStorefront.start([
                Attempt.answer("Throttled", #","pollAfter":\#(time)"#), Attempt.answer("Ready"),
            ])
            _ = try await poll(absurd)
        }
        #expect(clock.elapsed == .milliseconds(120_200))
    }

    @Test("the error of a timeout contains the last result, and its description does not", .row("A5"))
    func timeout() async throws {
        let storefront = try await FakeStorefront.start([
            Attempt.answer("First"), Attempt.answer("Canary-4711"),
        ])
        let error = try #require(
            await #expect(throws: IdentityError.self) {
                try await poll(storefront, every: .seconds(20), timeout: .seconds(50))
            }
        )
        #expect(error.kind == .retryLater && error.code == .pollTimeout && storefront.calls.count == 3)
        let timeout = try #require(error.cause as? PollTimeout<Attempt.Output>)
        #expect(timeout.last.data.state.type == "Canary-4711")
        var dumped = ""
        dump(error, to: &dumped)
        #expect(!("\(timeout) \(String(reflecting: error))" + dumped).contains("4711"))
    }

    @Test("the largest timeout and the largest interval do not overflow")
    func largestDurations() async throws {
        clock.advance(by: .seconds(1))
        let largest = Duration(attoseconds: .max)
        let patient = try await FakeStorefront.start([Attempt.answer("NotReady"), Attempt.answer("Ready")])
        #expect(try await poll(patient, timeout: largest).data.state.type == "Ready")
        let slow = try await FakeStorefront.start([Attempt.answer("NotReady")])
        let error = await #expect(throws: IdentityError.self) { try await poll(slow, every: largest) }
        #expect(error?.code == .pollTimeout)
    }

    @Test("a cancellation between two polls ends the polling")
    func cancellation() async throws {
        let storefront = try await FakeStorefront.start([Attempt.answer("NotReady")])
        let client = try storefront.client(clock: ManualClock())
        let task = Task { try await client.poll(Attempt(), until: { _ in false }) }
        while storefront.calls.isEmpty { await Task.yield() }
        task.cancel()
        let error = await #expect(throws: IdentityError.self) { try await task.value }
        #expect(error?.kind == .cancelled && storefront.calls.count == 1)
    }

    @Test("a response with status 403 ends polling")
    func failure() async throws {
        let storefront = try await FakeStorefront.start([Attempt.answer("NotReady"), .status(403)])
        let error = await #expect(throws: IdentityError.self) { try await poll(storefront) }
        #expect(error?.kind == .configuration)
    }
}
