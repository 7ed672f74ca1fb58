internal import FoundationEssentials
internal import IdentityHTTP
internal import IdentityKit
internal import IdentityPresentation
internal import IdentitySQLite
internal import IdentitySandbox
internal import IdentityShopify
internal import IdentityStoreKit
internal import ShopifyStorefront

/// Where this program's configuration comes from, and who plays the buyer.
struct Setup: Sendable {
    private let configuration: IdentityConfiguration
    private let sandbox: Sandbox?
    private let folder: URL

    /// Reads `--config FILE`; without it a sandbox is started.
    init() async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("shopify-login-\(UUID().uuidString)")
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
                hint: "Use shopify-login [--config FILE]."
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

    /// The first provider of kind `shopify`.
    func provider(in environment: IdentityEnvironment) throws -> any IdentityProvider {
        let factory = ShopifyProviderFactory()
        for entry in configuration.providers {
            var section = entry.section
            guard try section.string("kind") == factory.kind else { continue }
            let provider = try factory.makeProvider(named: entry.name, from: &section, in: environment)
            try section.finish()
            return provider
        }
        throw missing("providers with an entry of kind shopify")
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

    /// What the buyer's browser does: opens the page and comes back with the callback's URL.
    func visit(_ url: HTTPURL, returningTo redirectURI: String?) async throws -> String {
        if sandbox != nil {
            return try await SandboxBuyer(transport: try CurlTransport()).login(at: url.text, redirectURI: redirectURI)
        }
        print("  Open \(url.text)\n  and paste the address to which it leads:")
        guard let line = try await StandardInput().nextLine() else { throw CancellationError() }
        return line
    }

    private func missing(_ name: String) -> IdentityError {
        IdentityError(.configuration, .configurationInvalid, "Configuration member \(name) is missing.")
    }
}
