#if PostgreSQL
import FoundationEssentials
import IdentityKit
import IdentityPlatform
import IdentitySandbox
import TestDirectories
import TestProcesses
import TestPostgres
import Testing

@testable import IdentityPostgres

@Suite(
    "Processes that share a PostgreSQL database",
    .enabled(if: TestPostgresServer.isAvailable, "apt-get install libpq-dev postgresql"),
    .timeLimit(.minutes(5))
)
struct ProcessTests {
    /// Writes a configuration file with the sandbox's providers and a store in this schema, and returns the variables of `identity-lab`.
    private func environment(
        _ sandbox: Sandbox,
        _ schema: TestSchema,
        in folder: TemporaryDirectory,
        timeout: Int? = nil
    ) throws -> [String: String] {
        let made = sandbox.labConfiguration()
        var root = try #require(made.json.object)
        if let timeout, var providers = root["providers"]?.object, var any = providers["any"]?.object {
            any["timeout"] = .integer(timeout)
            providers["any"] = .object(any)
            root["providers"] = .object(providers)
        }
        root["store"] = .object([
            "postgres": .object(["env": .string("DATABASE_URL")]), "schema": .string(schema.name),
            "key": .object(["env": .string("IDENTITY_STORE_KEY")]),
        ])
        let file = try folder.write(String(decoding: JSONValue.object(root).serialized, as: UTF8.self), to: "lab.json")
        return made.environment.merging([
            "IDENTITY_CONFIG": file, "DATABASE_URL": schema.server.local().reveal(),
        ]) { $1 }
    }

    @Test("eight processes that refresh at the same moment use no token twice")
    func refresh() async throws {
        let schema = try await TestSchema()
        let sandbox = try await Sandbox.start(SandboxConfiguration())
        let folder = try TemporaryDirectory("processes")
        defer { folder.remove() }
        let environment = try environment(sandbox, schema, in: folder)
        func lab(_ arguments: [String]) async throws -> [String] {
            try await LabRun(arguments + ["--json"], environment).lines()
        }

        let login = try await lab(["login", "--provider", "shopify", "--callback", "sandbox"])
        let event = try #require(login.last { $0.contains(#""event":"session""#) }, "\(login)")
        let id = try #require(try JSONValue(parsing: Array(event.utf8))["id"]?.string)
        // No token is valid for the requested time, so each process needs a new token, or takes the token that another process just got.
        let token = ["token", "--session", id, "--valid-for", "100000"]
        for _ in 0..<3 {
            try await withThrowingTaskGroup(of: [String].self) { group in
                for _ in 0..<8 { group.addTask { try await lab(token) } }
                for try await lines in group {
                    #expect(lines.contains { $0.contains(#""event":"token""#) }, "\(lines)")
                }
            }
        }
        let counters = sandbox.shopify.counters
        #expect(counters.refreshes >= 3 && counters.reusesPunished == 0 && counters.tokenRefusals == 0)
        let last = try await lab(["token", "--session", id])
        #expect(last.contains { $0.contains(#""outcome":"stored""#) }, "\(last)")
        let logout = try await lab(["logout", "--session", id])
        #expect(logout.contains { $0.contains(#""event":"logout""#) })
        #expect(try await lab(["sessions"]).isEmpty)
        await sandbox.stop()
    }

    @Test("check reports a provider whose timeout is longer than a session's lock, as a login does")
    func timeout() async throws {
        let schema = try await TestSchema()
        let sandbox = try await Sandbox.start(SandboxConfiguration())
        let folder = try TemporaryDirectory("processes")
        defer { folder.remove() }
        let environment = try environment(sandbox, schema, in: folder, timeout: 10)
        let login = try await LabRun(["login", "--provider", "any", "--callback", "sandbox", "--json"], environment)
            .ended()
        #expect(login.status == 2, "\(login)")
        let check = try await LabRun(["check", "--json"], environment).ended()
        #expect(check.status == 2, "\(check)")
        let failures = try check.lines.map { try JSONValue(parsing: Array($0.utf8)) }
            .filter { $0["result"]?.string == "failed" }
        #expect(failures.map { $0["subject"]?.string } == ["providers.any"], "\(failures)")
        #expect(failures.map { $0["point"]?.string } == ["timeout"])
        await sandbox.stop()
    }

    @Test("if new tokens cannot be saved, the command ends with a separate exit status")
    func nowhereDurable() async throws {
        let server = try await TestPostgresServer.start()
        let schema = try await TestSchema(on: server)
        let sandbox = try await Sandbox.start(SandboxConfiguration())
        let folder = try TemporaryDirectory("processes")
        defer { folder.remove() }
        let environment = try environment(sandbox, schema, in: folder)
        let login = try await LabRun(["login", "--provider", "any", "--callback", "sandbox", "--json"], environment)
            .lines()
        let event = try #require(login.last { $0.contains(#""event":"session""#) }, "\(login)")
        let id = try #require(try JSONValue(parsing: Array(event.utf8))["id"]?.string)
        // The server is down from the moment at which the provider has the refresh token.
        sandbox.openID.planFault(.before { try? await server.command("stop immediate") }, on: .token)
        let token = ["token", "--session", id, "--valid-for", "86400", "--json"]
        let ended = try await LabRun(token, environment).ended()
        #expect(ended.status == 3, "\(ended)")
        #expect(ended.lines.contains { $0.contains(#""warnings":["tokens_not_durable: "#) }, "\(ended)")
        await sandbox.stop()
    }
}

private struct LabRun {
    private let process: Spawned

    init(_ arguments: [String], _ environment: [String: String]) throws {
        let variables = environment.merging(["PATH": "/usr/bin:/bin"]) { given, _ in given }
        process = try Spawned.start(Spawned.path(of: "identity-lab"), arguments, variables)
    }

    func lines() async throws -> [String] { try await ended().lines }

    func ended() async throws -> (status: Int32, lines: [String]) {
        let (output, errors) = (LineReader(process.output), LineReader(process.errors))
        var lines: [String] = []
        while let line = await output.next() { lines.append(line) }
        while await errors.next() != nil {}
        let status = await process.ended()
        close(process.input)
        output.end()
        errors.end()
        return (status, lines)
    }
}
#endif
