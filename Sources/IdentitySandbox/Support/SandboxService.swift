internal import Synchronization

/// A server of the sandbox: a test can read the requests that the server has received, and plan faults for it.
public protocol SandboxService: Sendable {
    /// The record of requests, and the planned faults.
    var journal: SandboxJournal { get }
}

extension SandboxService {
    /// All requests in the order of arrival; at most the latest 10,000.
    public var requests: [SandboxRequest] { journal.state.withLock { $0.requests } }

    /// The counters of requests and of their effects.
    public var counters: SandboxCounters { journal.state.withLock { $0.counters } }

    /// The rules that the client broke, in order; at most the latest 10,000.
    ///
    /// Only ``SandboxOpenID`` records violations. A test usually expects an empty list.
    public var violations: [SandboxViolation] { journal.state.withLock { $0.violations } }

    /// The requests to one endpoint, in the order of arrival.
    public func requests(to endpoint: SandboxEndpoint) -> [SandboxRequest] {
        requests.filter { $0.endpoint == endpoint }
    }

    /// Removes the recorded requests and violations and sets all counters to zero; tokens and carts are kept.
    public func forgetRequests() {
        journal.state.withLock { state in
            state.requests.removeAll()
            state.counters = SandboxCounters()
            state.violations.removeAll()
        }
    }
}
