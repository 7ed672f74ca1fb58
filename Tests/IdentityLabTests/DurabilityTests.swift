import Foundation
import IdentityHTTP
import IdentityKit
import IdentityPlatform
import IdentitySandbox
import IdentityWeb
import StorefrontSandbox
import TestDirectories
import TestDoubles
import Testing

@testable import identity_lab

/// Failures between the claim and the save, after which new tokens are only in the memory of the command.
@Suite("identity-lab token warns about new tokens that could not be stored", .timeLimit(.minutes(10)))
struct DurabilityTests {
    @Test("token warns if the directory of the database was renamed")
    func renamedDirectory() async throws {
        try await LabStage.with { stage in
            let store = stage.folder.appendingPathComponent("store")
            try await expectWarning(stage, in: store) {
                try? FileManager.default.moveItem(at: store, to: stage.folder.appendingPathComponent("renamed"))
            }
        }
    }

    @Test("token warns if the database was renamed and its spool cannot be written")
    func brokenSpool() async throws {
        try await LabStage.with { stage in
            let store = stage.folder.appendingPathComponent("store")
            let database = store.appendingPathComponent("identity.sqlite")
            try await expectWarning(stage, in: store) {
                try? FileManager.default.moveItem(at: database, to: store.appendingPathComponent("renamed"))
                // A file in place of the directory also prevents writes by root.
                try? Data("no directory".utf8).write(to: URL(filePath: database.path + ".spool"))
            }
        }
    }

    @Test("there is no warning if the spool saves the tokens, and the next command finds them there")
    func spooled() async throws {
        try await LabStage.with { stage in
            let store = stage.folder.appendingPathComponent("store")
            let database = store.appendingPathComponent("identity.sqlite")
            let path = database.path
            let id = try await stage.login("any", ["--store", path]).sessionID
            let renamed = store.appendingPathComponent("renamed")
            stage.sandbox.openID.planFault(
                .before { try? FileManager.default.moveItem(at: database, to: renamed) },
                on: .token
            )
            let first = try await stage.run("token", "--session", id, "--valid-for", "86400", "--store", path, "--json")
            #expect(first.status == 0, "\(first)")
            #expect(try first.event("token")["warnings"]?.array?.isEmpty == true)
            try FileManager.default.moveItem(at: renamed, to: database)
            let second = try await stage.run("token", "--session", id, "--store", path, "--json")
            #expect(second.status == 0, "\(second)")
            #expect(stage.sandbox.openID.counters.refreshes == 1)
        }
    }

    @Test("serve ends with status 3 if the new tokens of a refresh on its page could not be stored")
    func serve() async throws {
        try await LabStage.with { stage in
            let (store, origin) = (stage.folder.appendingPathComponent("store"), "https://lab.example")
            let path = store.appendingPathComponent("identity.sqlite").path
            let made = stage.sandbox.labConfiguration(app: origin, storePath: path)
            let file = try stage.write(made.json, to: "serve.json")
            let process = try LabProcess(
                ["serve", "--port", "0", "--json", "--config", file, "--public-origin", origin],
                environment: made.environment
            )
            let event = try #require(try await process.nextEvent())
            let browser = try await PageBrowser(try #require(event["local_url"]?.string))
            try await browser.press("/columns/left/sign-in", [("provider", "any"), ("entry_point", "async")])
            let page = try #require(try await browser.send(.get, "/columns/left/open").headers["Location"])
            let callback = try await stage.robot.login(at: page, redirectURI: origin + "/auth/callback/any")
            #expect(try await browser.send(.get, String(callback.dropFirst(origin.count))).status == 303)
            let renamed = stage.folder.appendingPathComponent("renamed")
            stage.sandbox.openID.planFault(
                .before { try? FileManager.default.moveItem(at: store, to: renamed) },
                on: .token
            )
            try await browser.press("/columns/left/refresh")
            process.signal(SIGINT)
            let ended = await process.ended()
            #expect(ended.status == 3, "\(ended)")
            #expect(ended.errors.contains("New tokens could not be stored"))
        }
    }

    @Test("serve reports the new tokens of its own routes that could not be stored")
    func routes() async throws {
        let folder = try TemporaryDirectory("serve")
        defer { folder.remove() }
        let store = folder.url.appendingPathComponent("store")
        try FileManager.default.createDirectory(at: store, withIntermediateDirectories: true)
        var arguments = Arguments()
        arguments.insert(store.appendingPathComponent("identity.sqlite").path, for: .store)
        let lab = Lab(arguments: arguments, output: Output(isJSON: true))
        let origin = "http://127.0.0.1:8080"
        let services = try await RunEnvironment.served(lab, at: origin)
        try await cleaningUp(services.close) {
            let site = try ServeSite(services, origin: origin)
            let sessions = site.routes.sessions
            let presenter = CallbackMode.sandbox.presenter(transport: services.transport) { _ in }
            let flow = LoginFlow(provider: "any", sessions: sessions, presenter: presenter)
            let session = try await LoginEntryPoint.async.login(flow, LoginOptions())
            let renamed = folder.url.appendingPathComponent("renamed")
            let sandbox = try #require(services.sandbox)
            sandbox.openID.planFault(
                .before { try? FileManager.default.moveItem(at: store, to: renamed) },
                on: .token
            )
            _ = try? await sessions.tokens(for: session.id, validFor: .seconds(86_400))
            #expect(lab.nonDurableTokens.warning == nil)
            await site.close()
            #expect(lab.nonDurableTokens.warning?.code == .tokensNotDurable)
        }
    }

    @Test("there is a warning if a refresh is still in progress at the time limit of a command's last work")
    func unfinishedRefresh() async throws {
        try await LabStage.with { stage in
            let made = stage.sandbox.labConfiguration()
            let tokens = NonDurableTokens()
            var deployment = try Deployment(
                try IdentityConfiguration(json: made.json.serialized, environmentVariables: made.environment),
                store: InMemoryStore(),
                transport: stage.transport,
                clock: SystemClock(),
                nonDurableTokens: tokens
            )
            await deployment.drain()
            #expect(tokens.warning == nil)
            let old = TokenSet(
                buyer: Buyer(issuer: stage.sandbox.openID.issuer, subject: "ada"),
                accessToken: Secret("access"),
                refreshToken: Secret("refresh"),
                issuedAt: Date(),
                expiresAt: Date(timeIntervalSinceNow: 3600)
            )
            let sessions = deployment.sessions
            let id = try await sessions.establish(old, provider: "any").id
            let gate = Gate()
            stage.sandbox.openID.planFault(.before { await gate.wait() }, on: .token)
            let refresh = Task { try? await sessions.refreshTokens(for: id) }
            while stage.sandbox.openID.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            deployment.lastWorkLimit = .milliseconds(200)
            await deployment.drain()
            #expect(tokens.warning?.code == .tokensNotDurable)
            gate.open()
            _ = await refresh.value
        }
    }

    /// Refreshes a session whose database breaks when the token endpoint receives the request.
    private func expectWarning(
        _ stage: LabStage,
        in folder: URL,
        _ breakage: @escaping @Sendable () -> Void
    ) async throws {
        let path = folder.appendingPathComponent("identity.sqlite").path
        let id = try await stage.login("any", ["--store", path]).sessionID
        stage.sandbox.openID.planFault(.before { breakage() }, on: .token)
        let ended = try await stage.run("token", "--session", id, "--valid-for", "86400", "--store", path, "--json")
        #expect(ended.status == 3, "\(ended)")
        let event = try ended.event("token")
        #expect(event["outcome"]?.string == "refreshed_early")
        #expect(event["warnings"]?.array?.first?.string?.hasPrefix("tokens_not_durable: ") == true)
        #expect(ended.errors.contains("New tokens could not be stored"))
    }
}
