import IdentityHTTP
import IdentityKit
import IdentityPlatform
import IdentitySandbox
import StorefrontSandbox
import Testing

@Suite("identity-lab login --callback device", .timeLimit(.minutes(10)))
struct DeviceLoginTests {
    private static func sandbox(_ change: (inout SandboxOpenIDConfiguration) -> Void = { _ in }) -> SandboxConfiguration
    {
        var configuration = SandboxConfiguration()
        configuration.openID.supportsDeviceAuthorization = true
        // The shortest interval that the client uses.
        configuration.openID.devicePollingInterval = .seconds(1)
        change(&configuration.openID)
        return configuration
    }

    private static let arguments = ["login", "--provider", "any", "--callback", "device"]

    @Test(
        "with every entry point, a device login prints the user code and then the session",
        arguments: ["async", "completion", "delegate"]
    )
    func login(entryPoint: String) async throws {
        try await LabStage.with(Self.sandbox()) { stage in
            let arguments = Self.arguments + ["--entry-point", entryPoint, "--json"]
            let process = try LabProcess(arguments, environment: stage.environment)
            let shown = try #require(try await process.nextEvent())
            #expect(shown.object?.members.map(\.name) == Self.members)
            #expect(shown["event"]?.string == "device")
            let code = try #require(shown["user_code"]?.string)
            let page = try #require(shown["verification_uri"]?.string)
            #expect(page == stage.sandbox.openID.verificationURI)
            #expect(shown["verification_uri_complete"]?.string?.contains(code) == true)
            #expect(shown["expires_at"]?.string?.hasSuffix("Z") == true)
            try await stage.robot.answerDevice(at: page, userCode: code)
            let ended = await process.ended()
            #expect(ended.status == 0, "\(ended)")
            #expect(try ended.events().map { $0["event"]?.string } == ["device", "session"])
            let session = try ended.event("session")
            #expect(session["provider"]?.string == "any")
            #expect(session["issuer"]?.string == stage.sandbox.openID.issuer)
            #expect(stage.sandbox.openID.violations.isEmpty, "\(stage.sandbox.openID.violations)")
        }
    }

    private static let members = ["event", "user_code", "verification_uri", "verification_uri_complete", "expires_at"]

    @Test("the text output shows the page and the code, and says that the code has expired")
    func people() async throws {
        try await LabStage.with(Self.sandbox { $0.deviceCodeLifetime = .seconds(2) }) { stage in
            let ended = try await LabProcess(Self.arguments, environment: stage.environment).ended()
            #expect(ended.status == 1)
            #expect(ended.output.contains("\n  \(stage.sandbox.openID.verificationURI)\n"))
            #expect(ended.output.contains("?user_code="))
            #expect(!ended.output.contains("{"))
            #expect(ended.errors.contains("expired"))
        }
    }

    @Test("a login that the buyer denies and an expired code exit as rejected")
    func refused() async throws {
        try await LabStage.with(Self.sandbox()) { stage in
            let process = try LabProcess(Self.arguments + ["--json"], environment: stage.environment)
            let shown = try #require(try await process.nextEvent())
            let denier = SandboxBuyer(behaviour: .deny, transport: stage.transport)
            try await denier.answerDevice(at: try #require(shown["verification_uri_complete"]?.string))
            let ended = await process.ended()
            #expect(ended.status == 1)
            #expect(try ended.event("error")["code"]?.string == "access_denied")
        }
        try await LabStage.with(Self.sandbox { $0.deviceCodeLifetime = .seconds(2) }) { stage in
            let ended = try await LabProcess(Self.arguments + ["--json"], environment: stage.environment).ended()
            #expect(ended.status == 1)
            #expect(try ended.event("error")["code"]?.string == "attempt_expired")
        }
    }

    @Test("a signal cancels a device login that waits for the buyer")
    func interrupted() async throws {
        try await LabStage.with(Self.sandbox { $0.devicePollingInterval = .seconds(60) }) { stage in
            let process = try LabProcess(Self.arguments + ["--json"], environment: stage.environment)
            _ = try await process.nextEvent()
            process.signal(SIGINT)
            let ended = await process.ended()
            #expect(ended.status == 130)
            #expect(try ended.event("error")["kind"]?.string == "cancelled")
        }
    }

    @Test("a provider without device login is a configuration error", arguments: ["any", "shopify", "bolt"])
    func unsupported(provider: String) async throws {
        try await LabStage.with { stage in
            let ended = try await stage.run("login", "--provider", provider, "--callback", "device", "--json")
            #expect(ended.status == 2)
            #expect(try ended.events().count == 1)
            #expect(try ended.event("error")["code"]?.string == "unsupported_by_provider")
        }
    }
}
