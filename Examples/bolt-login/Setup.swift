internal import FoundationEssentials
internal import IdentityBolt
internal import IdentityHTTP
internal import IdentityKit
internal import IdentityPresentation
internal import IdentitySQLite
internal import IdentitySandbox
internal import IdentityStoreKit
internal import ShopifyStorefront

/// Where this program's configuration comes from, and who plays the buyer.
struct Setup: Sendable {
    private let configuration: IdentityConfiguration
    private let sandbox: Sandbox?
    private let folder: URL

    /// Reads `--config FILE`; without it a sandbox is started.
    init() async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("bolt-login-\(UUID().uuidString)")
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "--config", arguments.count == 2, let path = arguments.last {
            configuration = try IdentityConfiguration(contentsOf: path)
            sandbox = nil
        } else if arguments.isEmpty {
            let sandbox = try await Sandbox.start()
            let made = sandbox.labConfiguration(storePath: folder.appendingPathComponent("identity.sqlite").path)
            configuration = try IdentityConfiguration(
                json: made.json.serialized,
                environmentVariables: made.environment
            )
            self.sandbox = sandbox
        } else {
            throw IdentityError(
                .configuration,
                .configurationInvalid,
                "The command line is not understood.",
                hint: "Use bolt-login [--config FILE]."
            )
        }
    }

    /// Runs the example and cleans up after it.
    func use(_ body: (Setup) async throws -> Void) async throws {
        do {
            try await body(self)
            await close()
        } catch {
            await close()
            throw IdentityError.wrapping(error)
        }
    }

    private func close() async {
        await sandbox?.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    /// The first provider of kind `bolt`.
    func provider(in environment: IdentityEnvironment) throws -> any BoltAuthorizing {
        let factory = BoltProviderFactory()
        for entry in configuration.providers {
            var section = entry.section
            guard try section.string("kind") == factory.kind else { continue }
            let provider = try factory.makeProvider(named: entry.name, from: &section, in: environment)
            try section.finish()
            if let provider = provider as? any BoltAuthorizing { return provider }
        }
        throw missing("providers with an entry of kind bolt")
    }

    /// The members `path` and `key` of the section `store`.
    func store() throws -> SQLiteStore.Configuration {
        guard var section = configuration.store else { throw missing("store") }
        return SQLiteStore.Configuration(
            path: try section.string("path"),
            key: try StoreKey(hexadecimal: try section.secret("key"))
        )
    }

    func storefront() throws -> StorefrontConfiguration {
        guard let section = configuration.storefront else { throw missing("storefront") }
        return try StorefrontConfiguration(section)
    }

    /// Who shows the login page: the sandbox's robot, or the system browser with a listener for the way back.
    func presenter() throws -> any Presenter {
        if sandbox != nil { return SandboxBuyer(transport: try CurlTransport()) }
        return LoopbackPresenter { url, isOpened in
            if !isOpened { print("  Open \(url.text)") }
        }
    }

    private func missing(_ name: String) -> IdentityError {
        IdentityError(.configuration, .configurationInvalid, "Configuration member \(name) is missing.")
    }
}
