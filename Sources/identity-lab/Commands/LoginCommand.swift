internal import IdentityKit

struct LoginCommand: Command {
    static let name = "login"
    static let summary = "Sign a buyer in and store the session."
    static let options: [Option] = [.provider, entryPoint, callback] + LoginRequest.options
    static let examples = [
        "identity-lab login --config identity.json --provider shopify",
        "identity-lab login --provider bolt --callback stdin --json",
        "identity-lab login --provider shopify --callback sandbox --entry-point delegate",
        "identity-lab login --provider any --callback device",
        "identity-lab login --provider any --prompt consent --parameter audience=https://api.example",
    ]
    private static let entryPoint = Option(
        "--entry-point async|completion|delegate",
        "How to call the SDK: with await, a completion handler or a delegate; by default async."
    )

    private static let callback = Option(
        "\(Option.callback.name) \(Option.callbackModes)|device",
        Option.callback.help
            + " With device there is no callback: the buyer enters a code on another device, if the provider supports it."
    )

    /// The raw values of ``CallbackMode``, and `device`, which has no callback.
    private enum Mode: String, CaseIterable {
        case loopback, stdin, sandbox, device
    }

    private let provider: String?
    private let entryPoint: LoginEntryPoint
    private let mode: Mode?
    private let request: LoginOptions

    init(_ arguments: Arguments) throws {
        provider = arguments[.provider]
        entryPoint = try arguments.choice(Self.entryPoint) ?? .async
        mode = try arguments.choice(Self.callback)
        request = try LoginRequest.read(arguments)
    }

    func run(_ lab: Lab) async throws {
        let deployment = try await lab.deployment(creatingStore: true)
        let name = try Deployment.providerName(provider, among: deployment.sessions.providerNames)
        let screen = DeviceScreen(output: lab.output, clock: deployment.environment.clock)
        defer { screen.close() }
        let flow =
            mode == .device
            ? LoginFlow(provider: name, sessions: deployment.sessions) { screen.show($0) }
            : try browserFlow(name, deployment, lab.output)
        let session = try await deployment.draining { try await entryPoint.login(flow, request) }
        lab.output.session(session, showsID: true)
    }

    private func browserFlow(_ name: String, _ deployment: Deployment, _ output: Output) throws -> LoginFlow {
        let redirectURI = try deployment.sessions.descriptor(of: name).redirectURI
        let mode = mode.flatMap { CallbackMode(rawValue: $0.rawValue) } ?? .standard(for: redirectURI)
        let presenter = mode.presenter(transport: deployment.environment.transport) { url in
            output.authorize(url, mode: mode)
        }
        return LoginFlow(provider: name, sessions: deployment.sessions, presenter: presenter)
    }
}
