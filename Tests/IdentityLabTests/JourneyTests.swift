import Foundation
import Glibc
import IdentityKit
import StorefrontSandbox
import TestDirectories
import Testing

@Suite("identity-lab journey and comparison", .timeLimit(.minutes(2)))
struct JourneyTests {
    @Test("every step of the journey against the embedded sandbox passes")
    func journey() async throws {
        let ended = try await LabProcess([], environment: [:]).ended()
        #expect(ended.status == 0, "\(ended.output) \(ended.errors)")
        #expect(ended.output.contains("token not found in database file"))
        #expect(ended.output.contains("Comparison"))
        #expect(!ended.output.contains("✗"))
        #expect(!ended.output.contains("\u{1B}"))
    }

    @Test("the comparison prints one event per approach and writes a self-contained page without secrets")
    func comparison() async throws {
        let folder = try TemporaryDirectory("compare")
        defer { folder.remove() }
        let file = folder.url.appendingPathComponent("compare.html")
        let ended = try await LabProcess(["compare", "--json", "--html", file.path], environment: [:]).ended()
        #expect(ended.status == 0, "\(ended)")
        let approaches = try ended.events().filter { $0["event"]?.string == "approach" }
        #expect(approaches.count == 18)
        #expect(approaches.allSatisfy { $0["problem"] == .null })
        let page = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        #expect(page.contains("grant_type") && page.contains("authorization_code") && page.contains("•••"))
        // The prefixes of the sandbox's tokens, secrets and keys.
        for secret in ["eyJ", "shpss", "shpat_", "sandbox-api-key", "Basic c", "Bearer e"] {
            #expect(!page.contains(secret), "\(secret)")
        }
        for loader in ["<script", "<img", "<link rel=\"stylesheet", "src=", "url(", "@import"] {
            #expect(!page.contains(loader), "\(loader)")
        }
    }

    @Test("the sandbox prints a working configuration and runs until it is interrupted")
    func sandbox() async throws {
        let sandbox = try LabProcess(["sandbox", "--json"], environment: [:])
        let event = try #require(try await sandbox.nextEvent())
        let folder = try TemporaryDirectory("lab")
        defer { folder.remove() }
        let file = folder.path(of: "sandbox.json")
        try Data(try #require(event["configuration"]).serialized).write(to: URL(filePath: file))
        var environment: [String: String] = [:]
        for (name, value) in try #require(event["environment"]?.object).members { environment[name] = value.string }
        let store = folder.path(of: "identity.sqlite")
        let login = try await LabProcess(
            ["login", "--provider", "bolt", "--callback", "sandbox", "--config", file, "--store", store, "--json"],
            environment: environment
        )
        .ended()
        #expect(login.status == 0, "\(login)")
        #expect(try login.events().map { $0["event"]?.string } == ["authorize", "session"])
        sandbox.signal(SIGINT)
        #expect(await sandbox.ended().status == 0)
    }
}
