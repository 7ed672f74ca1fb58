internal import IdentityDevelopmentServer
internal import IdentityHTTP
internal import IdentityKit
internal import IdentityWeb

struct ServeCommand: Command {
    static let name = "serve"
    static let summary =
        "Compare sign-ins in the browser: with the embedded sandbox, or with --config or $IDENTITY_CONFIG at real services."
    static let runsUntilInterrupted = true
    static let options: [Option] = [port, publicOrigin]
    static let examples = [
        "identity-lab serve",
        "identity-lab serve --config identity.json --port 8080",
        "identity-lab serve --config identity.json --public-origin https://lab.example",
    ]
    private static let port = Option(
        "--port N",
        "The port on 127.0.0.1 and [::1], by default 8080; 0 takes a free one."
    )
    private static let publicOrigin = Option(
        "--public-origin URL",
        "The https origin of a tunnel or proxy that leads to this port; it determines the redirect URIs and cookies. "
            + "Shopify accepts neither http nor localhost."
    )

    private let port: UInt16
    private let publicOrigin: String?

    init(_ arguments: Arguments) throws {
        publicOrigin = try arguments[Self.publicOrigin].map { text in
            guard let url = HTTPURL(origin: text), url.isSecure(orLoopback: true) else {
                throw UsageError(
                    "--public-origin must be an https origin such as https://lab.example, or an http origin with an address such as 127.0.0.1."
                )
            }
            return url.origin
        }
        guard let number = UInt16(arguments[Self.port] ?? "8080") else {
            throw UsageError("--port must be a number from 0 to 65535.")
        }
        port = number
    }

    func run(_ lab: Lab) async throws {
        var site: ServeSite?
        let server = try await DevelopmentServer.start(port: port, publicOrigin: publicOrigin) { origin in
            let services = try await RunEnvironment.open(
                lab,
                usesServices: lab.configurationPath != nil,
                callback: nil,
                tokenLifetime: RunEnvironment.servedTokenLifetime,
                routesOrigin: origin
            )
            do {
                let made = try ServeSite(services, origin: origin)
                site = made
                return { await made.answer($0) }
            } catch {
                await services.close()
                throw error
            }
        }
        guard let site else { return }
        announce(site, server, lab.output)
        await server.run()
        await site.close()
        await site.services.close()
    }

    private func announce(_ site: ServeSite, _ server: DevelopmentServer, _ output: Output) {
        let callbacks = site.routes.callbackAddresses
        var addresses = JSONObject()
        for (provider, address) in callbacks { addresses[provider] = .string(address) }
        let warning =
            site.key == nil
            ? "" : "\nKeep this address secret: everybody who has it can use the page and its sign-ins."
        let lines = callbacks.map { "  \($0.provider.printable): \($0.address.printable)" }
        output.event(
            "serve",
            [
                "url": .string(site.address(at: site.origin)), "local_url": .string(site.address(at: server.origin)),
                "callbacks": .object(addresses),
            ],
            text: """
                Open \(site.address(at: site.origin))\(site.origin == server.origin ? "" : ", which must lead to \(server.origin)")\(warning)

                The callbacks that must be registered at the providers:
                \(lines.joined(separator: "\n"))

                The page is served until the program is interrupted (Ctrl-C).
                """
        )
    }
}
