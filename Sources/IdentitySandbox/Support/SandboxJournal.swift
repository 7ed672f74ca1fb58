internal import Synchronization

/// Counters of the events at one provider of the sandbox, without the requests that a fault answered in place of the provider.
public struct SandboxCounters: Sendable, Equatable {
    /// Authorization requests whose parameters were accepted.
    public var authorizations = 0
    /// Authorization codes issued; at SFCC, successful calls of `Login-OAuthMobileBolt`.
    public var codesIssued = 0
    /// Authorization codes and device codes that were redeemed; at SFCC, successful calls of `Login-ExchangeSFCCToken`.
    public var exchanges = 0
    /// Successful refreshes, without those that ``refreshReplays`` counts.
    public var refreshes = 0
    /// Successful refreshes with a used refresh token; see ``SandboxTokenReuse``.
    public var refreshReplays = 0
    /// Requests that the provider refused because of a used authorization code or refresh token; each revoked all tokens of its login.
    public var reusesPunished = 0
    /// Requests that the token endpoint refused; at SFCC, requests with an invalid code or without a logged-in buyer.
    public var tokenRefusals = 0
    /// Fetches of the provider's keys.
    public var jwksFetches = 0
    /// Fetches of a discovery document.
    public var discoveries = 0
    /// Calls of ``SandboxEndpoint/api`` (not Bolt's `/v1/account/exists`) and of the Storefront API.
    public var apiCalls = 0
    /// Logouts that the provider executed.
    public var logouts = 0
    /// Authorization requests that were pushed (RFC 9126).
    public var pushedRequests = 0
    /// Accepted revocation requests (RFC 7009), including those with an unknown token.
    public var revocations = 0
    /// Logins that a device began (RFC 8628).
    public var deviceAuthorizations = 0
    /// Logout tokens that were sent.
    public var logoutTokens = 0
}

/// The requests to one provider of the sandbox, and its planned faults.
///
/// Tests read the requests and plan faults with the members of ``SandboxService``, from any thread.
public final class SandboxJournal: Sendable {
    struct Plan {
        let fault: SandboxFault
        let endpoint: SandboxEndpoint
        var remaining: Int
    }

    struct State {
        var requests: [SandboxRequest] = []
        var plans: [Plan] = []
        var counters = SandboxCounters()
        var violations: [SandboxViolation] = []
    }

    private static let maximumRequests = 10_000
    let state = Mutex(State())

    package init() {}

    func note(_ violation: SandboxViolation) {
        state.withLock { state in
            if state.violations.count >= Self.maximumRequests { state.violations.removeFirst(Self.maximumRequests / 2) }
            state.violations.append(violation)
        }
    }

    package func count(_ counter: any WritableKeyPath<SandboxCounters, Int> & Sendable) {
        state.withLock { $0.counters[keyPath: counter] += 1 }
    }

    /// Saves a request and returns the fault that is planned for it.
    func record(_ request: SandboxRequest) -> SandboxFault? {
        state.withLock { state in
            // Limits the memory of a long-running sandbox.
            if state.requests.count >= Self.maximumRequests { state.requests.removeFirst(Self.maximumRequests / 2) }
            state.requests.append(request)
            guard let index = state.plans.firstIndex(where: { $0.endpoint == request.endpoint }) else { return nil }
            let fault = state.plans[index].fault
            state.plans[index].remaining -= 1
            if state.plans[index].remaining == 0 { state.plans.remove(at: index) }
            return fault
        }
    }
}
