import IdentityKit
import TestPostgres
import Testing

/// Kills and stops real processes that share a SQLite file or PostgreSQL database; `Tests/Proofs/kill-loop` runs longer.
@Suite(.serialized)
struct KillTests {
    private let program = Program(name: "identity-kill-loop")

    @Test("Without kills every expiry causes one refresh, and no caller gets an error")
    func noKills() async throws {
        let ended = try await program.run(["0", "4"])
        #expect(ended.status == 0, "\(ended.output)")
        #expect(ended.output.contains(" 0 replayed, 0 families revoked"), "\(ended.output)")
    }

    @Test(
        "A kill costs a new login only between the claim and the saved response, and never within a grace window",
        arguments: ["0", "600", "repeats"]
    )
    func kills(_ grace: String) async throws {
        let ended = try await program.run(["12", "4", grace])
        #expect(ended.status == 0, "\(ended.output)")
        #expect(ended.output.contains(" 0 of them by a race, 0 acknowledged tokens lost"), "\(ended.output)")
    }

    @Test("Ten kills between the claim and the saved response cost only the logins of these sessions")
    func gap() async throws {
        let ended = try await program.run(["60", "4", "0", "--hits", "10"])
        #expect(ended.status == 0, "\(ended.output)")
        #expect(!ended.output.contains("BROKEN"), "\(ended.output)")
    }

    @Test(
        "With PostgreSQL, too, ten kills between the claim and the saved response cost only the logins of these sessions",
        .enabled(if: TestPostgresServer.isAvailable, "apt-get install libpq-dev postgresql")
    )
    func gapAtPostgreSQL() async throws {
        let url = try await TestPostgresServer.shared.local().reveal()
        let ended = try await program.run(["60", "4", "0", "--hits", "10", "--postgres", url])
        #expect(ended.status == 0, "\(ended.output)")
        #expect(!ended.output.contains("BROKEN"), "\(ended.output)")
    }

    @Test(
        "The kill loop detects injected faults",
        arguments: ["no-lock", "no-generation", "no-journal"]
    )
    func mutantsAreFound(_ mutant: String) async throws {
        let ended = try await program.run(["30", "4", "0", "--mutant", mutant])
        #expect(ended.status == 1, "\(ended.output)")
        #expect(ended.output.contains("BROKEN: "), "\(ended.output)")
    }

    @Test(
        "With PostgreSQL, too, the kill loop detects injected faults",
        .enabled(if: TestPostgresServer.isAvailable, "apt-get install libpq-dev postgresql"),
        arguments: ["no-lock", "no-generation"]
    )
    func mutantsAreFoundAtPostgreSQL(_ mutant: String) async throws {
        let url = try await TestPostgresServer.shared.local().reveal()
        let ended = try await program.run(["30", "4", "0", "--postgres", url, "--mutant", mutant])
        #expect(ended.status == 1, "\(ended.output)")
        #expect(ended.output.contains("BROKEN: "), "\(ended.output)")
    }

    @Test(
        "A run fails if its processes fail or request no tokens",
        arguments: [
            (["12", "4", "0", "--mutant", "fails-at-start"], "a process ended with status 70 before it was killed"),
            (["0", "4", "0", "--mutant", "fails-at-end"], "a process ended with status 70"),
            (["0", "4", "0", "--mutant", "no-requests"], "the processes made 0 refreshes of 20 sessions"),
            (["--storm", "--mutant", "fails-at-start"], "16 processes printed no result"),
            (["--storm", "--mutant", "fails-at-end"], "16 processes failed, with the statuses [70]"),
        ]
    )
    func failedProcesses(_ arguments: [String], _ violation: String) async throws {
        let ended = try await program.run(arguments)
        #expect(ended.status == 1, "\(ended.output)")
        #expect(ended.output.contains("BROKEN: \(violation)"), "\(ended.output)")
    }

    @Test("A thousand callers in sixteen processes refresh one expired session once")
    func storm() async throws {
        let ended = try await program.run(["--storm"])
        #expect(ended.status == 0, "\(ended.output)")
    }
}
