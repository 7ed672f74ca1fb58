import Dispatch
import IdentityHTTP
import IdentityKit
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import Synchronization
import TestGuides
import Testing

@Suite struct CompletionTests {
    private final class Calls<Value: Sendable>: Sendable {
        private let state = Mutex<[Result<Value, IdentityError>]>([])
        var all: [Result<Value, IdentityError>] { state.withLock { $0 } }
        func note(_ result: Result<Value, IdentityError>) { state.withLock { $0.append(result) } }
    }

    @Test("the completion is called once with the data", .row("A3"))
    func data() async throws {
        let storefront = try await FakeStorefront.start([.mugs])
        let calls = Calls<StorefrontResult<Probe<Shared>.Output>>()
        try await storefront.client().execute(Probe<Shared>()) { calls.note($0) }.finished()
        let name = try calls.all.first?.get().data.name
        #expect(calls.all.count == 1 && name == "Mugs")
    }

    @Test("the completion is called once with the error, on the caller's executor")
    func error() async throws {
        let storefront = try await FakeStorefront.start([.status(403)])
        let queue = DispatchQueue(label: "completions")
        let calls = Calls<PartialStorefrontResult<Probe<Shared>.Output>>()
        await withCheckedContinuation { continuation in
            do {
                try storefront.client().executePartial(Probe<Shared>(), on: .queue(queue)) { result in
                    dispatchPrecondition(condition: .onQueue(queue))
                    calls.note(result)
                    continuation.resume()
                }
            } catch {
                continuation.resume()
            }
        }
        guard case .failure(let error) = calls.all.first else {
            Issue.record("The completion was not called with an error.")
            return
        }
        #expect(calls.all.count == 1 && error.code == .storefrontRefused)
    }

    @Test("after a cancellation the completion is called once, and a second cancellation has no effect", .row("A4"))
    func cancellation() async throws {
        let storefront = try await FakeStorefront.start { _ in
            try? await Task.sleep(for: .seconds(30))
            return .mugs
        }
        let calls = Calls<StorefrontResult<Probe<Shared>.Output>>()
        let handle = try storefront.client().execute(Probe<Shared>()) { calls.note($0) }
        while storefront.calls.isEmpty { await Task.yield() }
        handle.cancel()
        handle.cancel()
        await handle.finished()
        handle.cancel()
        guard case .failure(let error) = calls.all.first else {
            Issue.record("The completion was not called with an error.")
            return
        }
        #expect(calls.all.count == 1 && error.kind == .cancelled)
    }

    @Test("a call that is cancelled at once calls its completion once, with a cancellation")
    func cancelledAtOnce() async throws {
        let storefront = try await FakeStorefront.start([.status(500)])
        let client = try storefront.client(clock: ManualClock(), retry: .standard)
        let calls = Calls<StorefrontResult<Probe<Shared>.Output>>()
        let handle = client.poll(Probe<Shared>(), until: { _ in true }) { calls.note($0) }
        handle.cancel()
        await handle.finished()
        guard case .failure(let error) = calls.all.first else {
            Issue.record("The completion was not called with an error.")
            return
        }
        #expect(calls.all.count == 1 && error.kind == .cancelled)
    }
}
