internal import IdentityHTTP
internal import IdentityKit

/// Reports events about a provider's keys to the environment's observers.
struct KeySetReporter: Sendable {
    let environment: IdentityEnvironment
    let provider: String

    func report(_ kind: IdentityEvent.Kind, since start: Duration) {
        environment.report(kind, provider: provider, since: start)
    }
}

/// Reports the outcome of each fetch.
struct KeySetReporting: KeySetProviding {
    private let next: any KeySetProviding
    private let reporter: KeySetReporter

    init(_ next: any KeySetProviding, reporter: KeySetReporter) {
        self.next = next
        self.reporter = reporter
    }

    func keys(at url: HTTPURL, _ requirement: KeySetRequirement) async throws -> KeySetSnapshot {
        let start = reporter.environment.clock.elapsed
        do {
            let snapshot = try await next.keys(at: url, requirement)
            reporter.report(.keySetRefreshed, since: start)
            return snapshot
        } catch {
            reporter.report(.keySetUnavailable(IdentityError.wrapping(error).code), since: start)
            throw error
        }
    }
}
