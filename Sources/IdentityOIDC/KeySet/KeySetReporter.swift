internal import IdentityHTTP
internal import IdentityKit

/// Tells the environment's observers what happens to a provider's keys.
struct KeySetReporter: Sendable {
    let environment: IdentityEnvironment
    let provider: String

    func report(_ kind: IdentityEvent.Kind, since start: Duration) {
        environment.report(kind, provider: provider, since: start)
    }
}

/// Reports how each fetch ended.
struct KeySetReporting: KeySetProviding {
    private let next: any KeySetProviding
    private let reporter: KeySetReporter

    init(_ next: any KeySetProviding, reporter: KeySetReporter) {
        self.next = next
        self.reporter = reporter
    }

    func keys(at url: HTTPURL, _ demand: KeySetRequirement) async throws -> KeySetSnapshot {
        let start = reporter.environment.clock.elapsed
        do {
            let snapshot = try await next.keys(at: url, demand)
            reporter.report(.keySetRefreshed, since: start)
            return snapshot
        } catch {
            reporter.report(.keySetUnavailable(IdentityError.wrapping(error).code), since: start)
            throw error
        }
    }
}
