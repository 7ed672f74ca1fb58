internal import IdentityKit
internal import IdentitySandbox

/// Runs the fake providers until it is interrupted.
struct SandboxCommand: Command {
    static let name = "sandbox"
    static let usage = "sandbox [--port N] [--require-pkce] [--require-par] [--special-secrets]"
    static let summary = "Run the fake providers until interrupted; print a configuration file for them."
    static let options: [Option] = [port, requirePKCE, requirePAR, specialSecrets]
    static let examples = [
        "identity-lab sandbox --port 8400 > sandbox.json 2> sandbox.env &",
        "identity-lab sandbox --json",
        "identity-lab sandbox --require-par --special-secrets",
    ]
    private static let port = Option(
        name: "--port",
        form: .value("N"),
        help: "The first of six consecutive ports on 127.0.0.1; free ones unless given."
    )

    private static let requirePKCE = Option(
        name: "--require-pkce",
        form: .flag,
        help: "The OpenID provider refuses a login without PKCE, also of the client with a secret."
    )
    private static let requirePAR = Option(
        name: "--require-par",
        form: .flag,
        help: "The OpenID provider accepts pushed authorization requests only; without the option it accepts both."
    )
    private static let specialSecrets = Option(
        name: "--special-secrets",
        form: .flag,
        help:
            "Client secrets with + / = and &, which form-encoding changes: the OpenID provider demands it before HTTP Basic, "
            + "Shopify refuses it."
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
        // A key that is already there opens the store of an earlier run.
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
            // The file goes to standard output alone, so that it can be redirected.
            lab.output.note("# The variables that the configuration refers to:\n\(configuration.environmentText)")
            lab.output.note("# The sandbox runs until it is interrupted (Ctrl-C).")
        }
        // To be interrupted is how this command ends, hence no error.
        try? await Task.sleep(for: .seconds(.max / 4))
        await sandbox.stop()
    }

    private func start() async throws -> Sandbox {
        do {
            return try await Sandbox.start(configuration, port: port)
        } catch {
            throw IdentityError(
                .configuration,
                IdentityError.Code(rawValue: "port_taken"),
                "The sandbox cannot listen on its ports.",
                hint: "Another program may use one of them; without --port free ones are chosen.",
                cause: error
            )
        }
    }

    /// Everything that a client can ask for is served, and nothing is required that was not asked for.
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
