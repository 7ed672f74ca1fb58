internal import IdentityHTTP
internal import IdentityKit

/// Reports events about a provider's keys to the environment's observers.
struct KeySetEventSource: Sendable {
    let environment: IdentityEnvironment
    let provider: String

    func report(_ kind: IdentityEvent.Kind, since start: Duration) {
        environment.report(kind, provider: provider, since: start)
    }
}

/// Reports the outcome of each fetch.
struct KeySetFetchReporting: KeySetProviding {
    private let next: any KeySetProviding
    private let events: KeySetEventSource

    init(_ next: any KeySetProviding, events: KeySetEventSource) {
        self.next = next
        self.events = events
    }

    func keys(at url: HTTPURL, _ requirement: KeySetRequirement) async throws -> KeySetSnapshot {
        let start = events.environment.clock.elapsed
        do {
            let snapshot = try await next.keys(at: url, requirement)
            events.report(.keySetRefreshed, since: start)
            return snapshot
        } catch {
            events.report(.keySetUnavailable(IdentityError.wrapping(error).code), since: start)
            throw error
        }
    }
}
