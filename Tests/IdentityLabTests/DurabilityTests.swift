import Foundation
import IdentityKit
import IdentitySandbox
import StorefrontSandbox
import Testing

/// Failures between the claim and the save, after which new tokens are only in the memory of the command.
@Suite("identity-lab token warns about new tokens that could not be stored", .timeLimit(.minutes(3)))
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
            let id = try #require(try await stage.login("any", ["--store", path]).event("session")["id"]?.string)
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

    /// Refreshes a session whose database breaks when the token endpoint receives the request.
    private func expectWarning(
        _ stage: LabStage,
        in folder: URL,
        _ breakage: @escaping @Sendable () -> Void
    ) async throws {
        let path = folder.appendingPathComponent("identity.sqlite").path
        let id = try #require(try await stage.login("any", ["--store", path]).event("session")["id"]?.string)
        stage.sandbox.openID.planFault(.before { breakage() }, on: .token)
        let ended = try await stage.run("token", "--session", id, "--valid-for", "86400", "--store", path, "--json")
        #expect(ended.status == 3, "\(ended)")
        let event = try ended.event("token")
        #expect(event["outcome"]?.string == "refreshed_early")
        #expect(event["warnings"]?.array?.first?.string?.hasPrefix("tokens_not_durable: ") == true)
        #expect(ended.errors.contains("New tokens could not be stored"))
    }
}
