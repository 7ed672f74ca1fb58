import IdentityKit
import TestServers
import Testing

@testable import IdentityPostgres

/// Real processes at one PostgreSQL database, killed and stopped: `Tests/with-postgres Tests/kill-loop --postgres` is the long form.
@Suite(
    "Processes that are killed at a PostgreSQL database",
    .enabled(if: TestServer.isAvailable, "PostgreSQL's server programs are not installed"),
    .timeLimit(.minutes(5))
)
struct KillLoopTests {
    @Test("kills that hit the gap between claim and journal ten times cost nothing but logins for these")
    func gap() async throws {
        let url = try await TestServer.shared.local().reveal()
        let ended = try await LabRun(
            ["60", "4", "0", "--hits", "10", "--postgres", url],
            [:],
            of: "identity-kill-loop"
        )
        .ended()
        #expect(ended.status == 0, "\(ended.lines)")
    }
}
