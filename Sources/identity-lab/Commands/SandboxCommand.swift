internal import IdentityDevelopmentServer
internal import IdentityHTTP
internal import IdentityKit
internal import IdentitySandbox
internal import StorefrontSandbox

struct SandboxCommand: Command {
    static let name = "sandbox"
    static let summary = "Run the fake providers until interrupted and print a configuration file for them."
    static let runsUntilInterrupted = true
    static let options: [Option] = [port, app, openID, requirePKCE, requirePAR, specialSecrets]
    static let examples = [
        "identity-lab sandbox --port 8400 > sandbox.json 2> sandbox.env &",
        "identity-lab sandbox --app http://127.0.0.1:8080",
        "identity-lab sandbox --json",
        "identity-lab sandbox --require-par --special-secrets",
        "identity-lab sandbox --openid provider.json",
    ]
    private static let port = Option(
        "--port N",
        "The first of seven consecutive ports on 127.0.0.1; the last port receives commands. By default free ports."
    )

    private static let app = Option(
        "--app URL",
        "The origin of a web app with the routes of IdentityWeb: registers and prints one redirect URI per provider."
    )
    private static let openID = Option(
        "--openid FILE",
        "The configuration file (JSON) of the fake OpenID provider; Documentation/Using/Sandbox.md describes its members."
    )
    private static let requirePKCE = Option(
        "--require-pkce",
        "The OpenID provider refuses logins without PKCE, also for the confidential client."
    )
    private static let requirePAR = Option(
        "--require-par",
        "The OpenID provider accepts only pushed authorization requests; by default it accepts all requests."
    )
    private static let specialSecrets = Option(
        "--special-secrets",
        "Use client secrets with + / = and &, which form encoding changes. For HTTP Basic the OpenID provider requires "
            + "the form-encoded secret, and Shopify requires the unchanged secret."
    )

    private let port: UInt16
    private let app: String?
    private let configuration: SandboxConfiguration

    init(_ arguments: Arguments) throws {
        app = try arguments[Self.app].map { text in
            guard let url = HTTPURL(origin: text) else {
                throw UsageError("--app must be an origin such as http://127.0.0.1:8080.")
            }
            return url.origin
        }
        configuration = try Self.configuration(arguments, app)
        guard let text = arguments[Self.port] else {
            port = 0
            return
        }
        guard let number = UInt16(text), (1...65529).contains(number) else {
            throw UsageError("--port must be a number from 1 to 65529.")
        }
        port = number
    }

    func run(_ lab: Lab) async throws {
        let clock = AdjustableClock()
        let sandbox = try await start(lab.output, clock)
        let token = RandomText.hexadecimal(48)
        let control = ControlPort(control: SandboxControl(sandbox: sandbox, clock: clock), token: token)
        let server: DevelopmentServer
        do {
            server = try await DevelopmentServer.start(port: port == 0 ? 0 : port + 6) { _ in
                { await control.answer($0) }
            }
        } catch {
            await sandbox.stop()
            throw portsClosed(error)
        }
        let key = Lab.storeKey
        let path = lab.arguments[.store] ?? "identity.sqlite"
        let configuration =
            app.map { sandbox.labConfiguration(app: $0, storePath: path, storeKey: key) }
            ?? sandbox.labConfiguration(storePath: path, storeKey: key)
        var environment = JSONObject()
        for (name, value) in configuration.environment.sorted(by: { $0.key < $1.key }) {
            environment[name] = .string(value)
        }
        lab.output.event(
            "sandbox",
            [
                "configuration": configuration.json, "environment": .object(environment),
                "storefront_public_token": .string(sandbox.storefront.configuration.publicToken),
                "shopify_clients": .object(Self.clientIDs(sandbox)),
                "control": .object(["url": .string(server.origin + "/"), "token": .string(token)]),
            ],
            text: configuration.text
        )
        if !lab.output.isJSON {
            // Standard output gets only the configuration file, so that a user can redirect it into a file.
            lab.output.note("# The variables that the configuration refers to:\n\(configuration.environmentText)")
            if app != nil {
                let addresses = (configuration.json["providers"]?.object?.members ?? []).map { provider in
                    "#   \(provider.name): \(provider.value["redirectURI"]?.string ?? "")\n"
                }
                lab.output.note("# The registered redirect URIs:\n\(addresses.joined())")
            }
            lab.output.note("# The public Storefront token: \(sandbox.storefront.configuration.publicToken)")
            for client in Self.clientIDs(sandbox).members {
                lab.output.note("# Shopify's client \(client.name): \(client.value.string ?? "")")
            }
            lab.output.note("# The control port, and the token of its commands:")
            lab.output.note("export SANDBOX_CONTROL_URL='\(server.origin)/'\nexport SANDBOX_CONTROL_TOKEN='\(token)'")
            lab.output.note("# The sandbox runs until it is interrupted (Ctrl-C).")
        }
        // An interrupt is the normal end of this command, so it is not an error.
        try? await Task.sleep(for: .seconds(.max / 4))
        await server.stop()
        await sandbox.stop()
    }

    /// Returns ids of Shopify clients by kind: the values of the configuration member `client`, and `app` for a Partner app's client.
    ///
    /// If the sandbox has several clients of a kind, the result contains the id of the first client.
    private static func clientIDs(_ sandbox: ShopSandbox) -> JSONObject {
        let kinds: [(String, SandboxShopifyClient.Kind)] = [
            ("confidential", .confidential), ("publicMobile", .publicMobile), ("publicWeb", .publicWeb), ("app", .app),
        ]
        var ids = JSONObject()
        for (name, kind) in kinds {
            ids[name] = sandbox.shopify.clients.first { $0.kind == kind }.map { .string($0.id) }
        }
        return ids
    }

    private func start(_ output: Output, _ clock: AdjustableClock) async throws -> ShopSandbox {
        var configuration = configuration
        configuration.clock = clock
        configuration.onResponse = { request, status in Self.report(request, status, output) }
        do {
            var storefront = SandboxStorefrontConfiguration.wholeShop
            storefront.returnURL = app
            return try await ShopSandbox.start(configuration, storefront: storefront, port: port)
        } catch {
            throw portsClosed(error)
        }
    }

    private func portsClosed(_ cause: any Error) -> IdentityError {
        IdentityError(
            .configuration,
            IdentityError.Code(rawValue: "port_taken"),
            port == 0
                ? "The sandbox could not open free ports on 127.0.0.1."
                : "The sandbox could not open all ports from \(port) to \(port + 6) on 127.0.0.1.",
            hint: port == 0
                ? "Check that this process may open more files and start more threads."
                : "Stop every program that uses one of these ports, or omit --port to use free ports.",
            cause: cause
        )
    }

    /// Prints the method, the path and the status of a request.
    ///
    /// A part of the path with at least 24 bytes and a digit may be the secret id of a login or cart, so `…` replaces it.
    private static func report(_ request: SandboxRequest, _ status: Int?, _ output: Output) {
        let parts = request.path.prefix(500).split(separator: "/", omittingEmptySubsequences: false).map { part in
            part.utf8.count >= 24 && part.contains(where: \.isNumber) ? "…" : String(part)
        }
        let (method, shown) = (request.method.printable, parts.joined(separator: "/").printable)
        if output.isJSON {
            let code: JSONValue = status.map { .integer($0) } ?? .null
            output.event("request", ["method": .string(method), "path": .string(shown), "status": code])
        } else {
            // The line is a shell comment, because users source the standard error of this command to set the variables.
            output.note("# \(method) \(shown) \(status.map(String.init) ?? "-")")
        }
    }

    /// Without `--openid`, an empty JSON object configures the OpenID provider: PAR, DPoP, revocation and device logins are on.
    private static func configuration(_ arguments: Arguments, _ app: String?) throws -> SandboxConfiguration {
        var configuration = SandboxConfiguration()
        configuration.openID =
            if let path = arguments[openID] { try SandboxOpenIDConfiguration(contentsOf: path) } else {
                try SandboxOpenIDConfiguration(json: Array("{}".utf8))
            }
        if let app, configuration.openID.backchannelLogoutURI == nil {
            configuration.openID.backchannelLogoutURI = app + "/auth/backchannel-logout/any"
        }
        if arguments.contains(requirePAR) { configuration.openID.pushedRequests = .required }
        if arguments.contains(requirePKCE) { configuration.openID.requiresPKCE = true }
        guard arguments.contains(specialSecrets) else { return configuration }
        if configuration.openID.clientSecret != nil {
            configuration.openID.clientSecret = SandboxOpenIDConfiguration.specialClientSecret
        }
        for index in configuration.shopify.clients.indices where configuration.shopify.clients[index].secret != nil {
            configuration.shopify.clients[index].secret = SandboxShopifyClient.specialSecret
        }
        return configuration
    }
}
