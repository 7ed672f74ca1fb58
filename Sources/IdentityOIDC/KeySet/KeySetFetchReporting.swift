internal import IdentityHTTP
internal import IdentityKit

/// Reports the outcome of each fetch to the environment's observers.
struct KeySetFetchReporting: KeySetProviding {
    let next: any KeySetProviding
    let environment: IdentityEnvironment
    let provider: String

    func keys(at url: HTTPURL, _ requirement: KeySetRequirement) async throws -> KeySetSnapshot {
        let start = environment.clock.elapsed
        do {
            let snapshot = try await next.keys(at: url, requirement)
            environment.report(.keySetRefreshed, provider: provider, since: start)
            return snapshot
        } catch {
            let code = IdentityError.code(of: error)
            environment.report(.keySetUnavailable(code), provider: provider, since: start)
            throw error
        }
    }
}
