import Foundation
import IdentityHTTP
import IdentityKit
import IdentitySQLite
import IdentitySandbox
import IdentitySetup
import StorefrontSandbox
import TestDirectories
import TestDoubles
import Testing

/// A sandbox in this process, and a folder with its configuration file and all files of `identity-lab`.
final class LabStage: Sendable {
    let sandbox: ShopSandbox
    private let directory: TemporaryDirectory
    var folder: URL { directory.url }
    let environment: [String: String]
    let robot: SandboxBuyer
    let transport: CurlTransport
    private let json: JSONValue

    init(
        _ configuration: SandboxConfiguration = SandboxConfiguration(),
        storefront: SandboxStorefrontConfiguration = SandboxStorefrontConfiguration()
    ) async throws {
        sandbox = try await ShopSandbox.start(configuration, storefront: storefront)
        directory = try TemporaryDirectory("lab")
        let made = sandbox.labConfiguration(storePath: directory.path(of: "identity.sqlite"))
        json = made.json
        transport = try CurlTransport()
        robot = SandboxBuyer(transport: transport)
        let file = directory.path(of: "lab.json")
        environment = made.environment.merging(["IDENTITY_CONFIG": file]) { $1 }
        try write(made.json, to: "lab.json")
    }

    /// Runs a test body, then stops the sandbox and removes the files.
    static func with(
        _ configuration: SandboxConfiguration = SandboxConfiguration(),
        storefront: SandboxStorefrontConfiguration = SandboxStorefrontConfiguration(),
        _ body: (LabStage) async throws -> Void
    ) async throws {
        let stage = try await LabStage(configuration, storefront: storefront)
        try await cleaningUp(stage.close) { try await body(stage) }
    }

    func close() async {
        await sandbox.stop()
        directory.remove()
    }

    @discardableResult
    func write(_ json: JSONValue, to name: String) throws -> String {
        let file = folder.appendingPathComponent(name)
        try Data(json.serialized).write(to: file)
        return file.path
    }

    /// Writes a configuration in which one provider's entry is changed.
    func configuration(changing provider: String, _ change: (inout JSONObject) -> Void) throws -> String {
        var root = try #require(json.object)
        var providers = try #require(root["providers"]?.object)
        var entry = try #require(providers[provider]?.object)
        change(&entry)
        providers[provider] = .object(entry)
        root["providers"] = .object(providers)
        return try write(.object(root), to: "changed-\(UUID().uuidString).json")
    }

    func start(_ arguments: String..., without variable: String = "") throws -> LabProcess {
        try LabProcess(arguments, environment: environment.filter { $0.key != variable })
    }

    func run(_ arguments: String...) async throws -> LabProcess.Ended {
        try await LabProcess(arguments, environment: environment).ended()
    }

    /// Signs in with the callback on standard input; a closure can change the callback.
    func login(
        _ provider: String,
        _ arguments: [String] = [],
        changing change: (String) -> String = { $0 }
    ) async throws -> LabProcess.Ended {
        let process = try LabProcess(
            ["login", "--provider", provider, "--callback", "stdin", "--json"] + arguments,
            environment: environment
        )
        let authorize = try #require(try await process.nextEvent())
        let url = try #require(authorize["url"]?.string, "\(authorize)")
        process.send(change(try await callback(for: url)))
        return await process.ended()
    }

    func changeTokens(of id: SessionID, _ change: (inout TokenSet) -> Void) async throws {
        try await withStore { try await Self.changeTokens(of: id, in: $0, change) }
    }

    static func changeTokens(
        of id: SessionID,
        in store: any SessionStore,
        _ change: (inout TokenSet) -> Void
    ) async throws {
        var stored = try #require(try await store.session(id))
        var tokens = try #require(try SessionState(stored).tokens)
        change(&tokens)
        stored.payload = SessionState.active(tokens).payload()
        let generation = stored.generation
        stored.generation += 1
        #expect(try await store.replace(stored, expecting: generation))
    }

    func addLoginAttempts(_ count: Int) async throws {
        try await withStore { store in
            for number in 0..<count {
                let expiry = Date(timeIntervalSinceNow: 600)
                let key = "attempt \(number)"
                try await store.insert(
                    StoredLoginAttempt(key: key, tenant: "", expiresAt: expiry, payload: Secret("attempt"))
                )
            }
        }
    }

    private func withStore(_ body: (any SessionStore) async throws -> Void) async throws {
        let configuration = try IdentityConfiguration(json: json.serialized, environmentVariables: environment)
        let setup = try await IdentitySetup.open(configuration) { section in
            try await SQLiteStore.open(try SQLiteStore.Configuration(section))
        }
        try await body(setup.store)
        await (setup.store as? SQLiteStore)?.close()
    }

    /// The callback URL of a login in which the buyer signs in.
    func callback(for url: String) async throws -> String {
        try await robot.login(at: url, redirectURI: Self.parameter("redirect_uri", in: url))
    }

    static func parameter(_ name: String, in url: String) -> String? {
        let query = url.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()
        return FormEncoding.decode(Array(query))?.first { $0.name == name }?.value
    }
}
