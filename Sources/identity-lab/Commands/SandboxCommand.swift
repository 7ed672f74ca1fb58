internal import IdentityKit
internal import IdentitySandbox
internal import StorefrontSandbox

/// Runs the fake providers until the process is interrupted.
struct SandboxCommand: Command {
    static let name = "sandbox"
    static let usage = "sandbox [--port N] [--require-pkce] [--require-par] [--special-secrets]"
    static let summary = "Run the fake providers until interrupted and print a configuration file for them."
    static let options: [Option] = [port, requirePKCE, requirePAR, specialSecrets]
    static let examples = [
        "identity-lab sandbox --port 8400 > sandbox.json 2> sandbox.env &",
        "identity-lab sandbox --json",
        "identity-lab sandbox --require-par --special-secrets",
    ]
    private static let port = Option(
        name: "--port",
        form: .value("N"),
        help: "The first of six consecutive ports on 127.0.0.1; by default free ports."
    )

    private static let requirePKCE = Option(
        name: "--require-pkce",
        form: .flag,
        help: "The OpenID provider refuses logins without PKCE, also for the confidential client."
    )
    private static let requirePAR = Option(
        name: "--require-par",
        form: .flag,
        help: "The OpenID provider accepts only pushed authorization requests; by default it accepts all requests."
    )
    private static let specialSecrets = Option(
        name: "--special-secrets",
        form: .flag,
        help:
            "Use client secrets with + / = and &, which form encoding changes. For HTTP Basic the OpenID provider requires "
            + "the form-encoded secret, and Shopify refuses it."
    )

    private let port: UInt16
    private let configuration: SandboxConfiguration

    init(_ arguments: Arguments) throws {
        configuration = Self.configuration(arguments)
        guard let text = arguments[Self.port] else {
            port = 0
            return
        }
        guard let number = UInt16(text), (1...65530).contains(number) else {
            throw UsageError("--port must be a number from 1 to 65530.", command: Self.self)
        }
        port = number
    }

    func run(_ lab: Lab) async throws {
        let sandbox = try await start()
        // Reuse the key from the environment, because it decrypts the store of an earlier run.
        let key = IdentityConfiguration.processEnvironment["IDENTITY_STORE_KEY"].flatMap { $0.isEmpty ? nil : $0 }
        let configuration = sandbox.labConfiguration(
            storePath: lab.arguments[.store] ?? "identity.sqlite",
            storeKey: key
        )
        var environment = JSONObject()
        for (name, value) in configuration.environment.sorted(by: { $0.key < $1.key }) {
            environment[name] = .string(value)
        }
        lab.output.event(
            "sandbox",
            ["configuration": configuration.json, "environment": .object(environment)],
            text: configuration.text
        )
        if !lab.output.isJSON {
            // Standard output gets only the file, so that it can be redirected.
            lab.output.note("# The variables that the configuration refers to:\n\(configuration.environmentText)")
            lab.output.note("# The sandbox runs until it is interrupted (Ctrl-C).")
        }
        // An interrupt is the normal end of this command, so it is not an error.
        try? await Task.sleep(for: .seconds(.max / 4))
        await sandbox.stop()
    }

    private func start() async throws -> ShopSandbox {
        do {
            return try await ShopSandbox.start(configuration, port: port)
        } catch {
            throw IdentityError(
                .configuration,
                IdentityError.Code(rawValue: "port_taken"),
                "The sandbox could not open its ports.",
                hint: "Stop the program that uses one of them, or omit --port to use free ports.",
                cause: error
            )
        }
    }

    /// Enables all optional features of the fake providers; requires only what the options name.
    private static func configuration(_ arguments: Arguments) -> SandboxConfiguration {
        var configuration = SandboxConfiguration()
        configuration.openID.supportsDeviceAuthorization = true
        configuration.openID.supportsRevocation = true
        configuration.openID.pushedRequests = arguments.contains(requirePAR) ? .required : .accepted
        configuration.openID.requiresPKCE = arguments.contains(requirePKCE)
        guard arguments.contains(specialSecrets) else { return configuration }
        configuration.openID.clientSecret = SandboxOpenIDConfiguration.specialClientSecret
        for index in configuration.shopify.clients.indices where configuration.shopify.clients[index].secret != nil {
            configuration.shopify.clients[index].secret = SandboxShopifyClient.specialSecret
        }
        return configuration
    }
}
