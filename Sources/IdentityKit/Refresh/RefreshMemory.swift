internal import FoundationEssentials
internal import Synchronization

private struct ResponseError: Hashable {
    let session: SessionID
    let receivedAt: Date
    let code: IdentityError.Code
}

/// What one ``SessionManager`` keeps in memory about its refreshes.
final class RefreshMemory: Sendable {
    let flights: SingleFlight<SessionID, SessionTokens>
    let unsaved: UnsavedTokens
    let pauses: SessionRefreshPauses
    let claims: ObservedRefreshClaims
    /// If the full table removes an entry, its error may be reported a second time.
    private let reportedErrors = Mutex(BoundedTable<ResponseError, Void>(maximum: 10_000))
    private let limiters = Mutex<[String: ProviderRefreshLimiter]>([:])
    private let limits: SessionManager.RefreshLimits
    private let environment: IdentityEnvironment

    init(
        _ store: any SessionStore,
        _ environment: IdentityEnvironment,
        _ configuration: SessionManager.Configuration,
        _ events: EventSource
    ) {
        self.environment = environment
        limits = configuration.refreshLimits
        // The time limit uses the system's clock even if a test replaces the clock, because tasks wait in real time.
        flights = SingleFlight(
            waitingUpTo: limits.maximumWait,
            on: SystemClock(),
            error: IdentityError.refreshTakesLong
        )
        unsaved = UnsavedTokens(store, events)
        pauses = SessionRefreshPauses(in: environment)
        claims = ObservedRefreshClaims(environment.clock, longestStep: configuration.repairInterval)
    }

    /// Records a validation error; returns false if the same error of the same response is already recorded.
    func isFirstReport(of code: IdentityError.Code, in response: RefreshResponse, for id: SessionID) -> Bool {
        let error = ResponseError(session: id, receivedAt: response.receivedAt, code: code)
        return reportedErrors.withLock { $0.insert(error) }
    }

    func limiter(of provider: String) -> ProviderRefreshLimiter {
        limiters.withLock { limiters in
            if let limiter = limiters[provider] { return limiter }
            let limiter = ProviderRefreshLimiter(provider, limits, in: environment)
            limiters[provider] = limiter
            return limiter
        }
    }
}
