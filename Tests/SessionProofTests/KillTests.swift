import IdentityKit
import TestServers
import Testing

/// Real processes at one SQLite file or one PostgreSQL database, killed and stopped: `Tests/Proofs/kill-loop` is the long form.
@Suite(.serialized)
struct KillTests {
    private let program = Program(name: "identity-kill-loop")

    @Test("Without kills every expiry costs one refresh, and no caller sees an error")
    func noKills() async throws {
        let ended = try await program.run(["0", "4"])
        #expect(ended.status == 0, "\(ended.output)")
        #expect(ended.output.contains(" 0 replayed, 0 families revoked"), "\(ended.output)")
    }

    @Test(
        "A kill costs a new login at most where it hits between claim and journal, and none within a grace",
        arguments: ["0", "30", "repeats"]
    )
    func kills(_ grace: String) async throws {
        let ended = try await program.run(["12", "4", grace])
        #expect(ended.status == 0, "\(ended.output)")
        #expect(ended.output.contains(" 0 of them by a race of ours, 0 acknowledged tokens lost"), "\(ended.output)")
    }

    @Test("Kills that hit the gap between claim and journal ten times cost nothing but logins for these")
    func gap() async throws {
        let ended = try await program.run(["60", "4", "0", "--hits", "10"])
        #expect(ended.status == 0, "\(ended.output)")
        #expect(!ended.output.contains("BROKEN"), "\(ended.output)")
    }

    @Test(
        "At PostgreSQL, too, kills that hit the gap ten times cost nothing but logins for these",
        .enabled(if: TestServer.isAvailable, "PostgreSQL's server programs are not installed")
    )
    func gapAtPostgreSQL() async throws {
        let url = try await TestServer.shared.local().reveal()
        let ended = try await program.run(["60", "4", "0", "--hits", "10", "--postgres", url])
        #expect(ended.status == 0, "\(ended.output)")
        #expect(!ended.output.contains("BROKEN"), "\(ended.output)")
    }

    @Test(
        "A fault in what the sessions rely on is found",
        arguments: ["no-lock", "no-generation", "no-journal"]
    )
    func mutantsAreFound(_ mutant: String) async throws {
        let ended = try await program.run(["30", "4", "0", "--mutant", mutant])
        #expect(ended.status == 1, "\(ended.output)")
        #expect(ended.output.contains("BROKEN: "), "\(ended.output)")
    }

    @Test("A thousand callers, and sixteen processes, at one expired session cost one refresh")
    func storm() async throws {
        let ended = try await program.run(["--storm"])
        #expect(ended.status == 0, "\(ended.output)")
    }
}
