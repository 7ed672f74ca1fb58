internal import FoundationEssentials
package import IdentityHTTP
package import IdentityKit
internal import IdentityPresentation
package import IdentitySQLite
internal import IdentitySandbox
internal import IdentityStoreKit
package import ShopifyStorefront
internal import StorefrontSandbox

/// The configuration of an example program: from the file that `--config` names, or of an embedded sandbox.
package struct ExampleSetup: Sendable {
    private let configuration: IdentityConfiguration
    private let sandbox: ShopSandbox?
    private let folder: URL

    /// Reads `--config FILE`; without arguments it starts a sandbox.
    ///
    /// - Parameter program: The program's name, for error messages.
    /// - Throws: `IdentityError` when the command line or the configuration is invalid.
    package init(program: String) async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(program)-\(UUID().uuidString)")
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "--config", arguments.count == 2, let path = arguments.last {
            configuration = try IdentityConfiguration(contentsOf: path)
            sandbox = nil
        } else if arguments.isEmpty {
            let sandbox = try await ShopSandbox.start()
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
                "The command line has unknown arguments.",
                hint: "Run: \(program) [--config FILE]"
            )
        }
    }

    /// Runs the example, then stops the sandbox and removes temporary files.
    package func use(_ body: (ExampleSetup) async throws -> Void) async throws {
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

    /// Creates the first configured provider of the factory's kind.
    package func provider(
        from factory: some ProviderFactory,
        in environment: IdentityEnvironment
    ) throws -> any IdentityProvider {
        for entry in configuration.providers {
            var section = entry.section
            guard try section.string("kind") == factory.kind else { continue }
            let provider = try factory.makeProvider(named: entry.name, from: &section, in: environment)
            try section.finish()
            return provider
        }
        throw missing("providers with an entry of kind \(factory.kind)")
    }

    /// The store of the configuration: the members `path` and `key` of the section `store`.
    package func store() throws -> SQLiteStore.Configuration {
        guard var section = configuration.store else { throw missing("store") }
        return SQLiteStore.Configuration(
            path: try section.string("path"),
            key: try StoreKey(hexadecimal: try section.secret("key"))
        )
    }

    /// The storefront of the configuration.
    package func storefront() throws -> StorefrontConfiguration {
        guard let section = configuration.storefront else { throw missing("storefront") }
        return try StorefrontConfiguration(section)
    }

    /// The presenter of the login page: the sandbox's robot, or the system browser with a loopback listener.
    package func presenter() throws -> any Presenter {
        if sandbox != nil { return SandboxBuyer(transport: try CurlTransport()) }
        return LoopbackPresenter { url, isOpened in
            if !isOpened { print("  Open \(url.text)") }
        }
    }

    /// Opens the login page as the buyer's browser does, and returns the URL of the callback.
    package func visit(_ url: HTTPURL, returningTo redirectURI: String?) async throws -> String {
        if sandbox != nil {
            return try await SandboxBuyer(transport: try CurlTransport()).login(at: url.text, redirectURI: redirectURI)
        }
        print("  Open \(url.text)\n  Sign in, then paste the URL of the page to which you are redirected:")
        guard let line = try await StandardInput().nextLine() else { throw CancellationError() }
        return line
    }

    private func missing(_ name: String) -> IdentityError {
        IdentityError(
            .configuration,
            .configurationInvalid,
            "Configuration member \(name) is missing.",
            hint: "See Documentation/Operating/Configuration.md."
        )
    }
}
