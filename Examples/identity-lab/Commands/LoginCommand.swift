internal import IdentityKit

/// Signs a buyer in.
struct LoginCommand: Command {
    static let name = "login"
    static let usage =
        "login [--provider NAME] [--entry-point async|completion|delegate] [--callback loopback|stdin|sandbox]"
    static let summary = "Sign a buyer in and store the session."
    static let options: [Option] = [.provider, entryPoint, .callback]
    static let examples = [
        "identity-lab login --config identity.json --provider shopify",
        "identity-lab login --provider bolt --callback stdin --json",
        "identity-lab login --provider shopify --callback sandbox --entry-point delegate",
    ]
    private static let entryPoint = Option(
        name: "--entry-point",
        form: .value("async|completion|delegate"),
        help: "Which of the SDK's entry points to call; async unless given."
    )

    private let provider: String?
    private let entryPoint: EntryPoint
    private let callback: CallbackMode?

    init(_ arguments: Arguments) throws {
        provider = arguments[.provider]
        entryPoint = try arguments.choice(Self.entryPoint, of: Self.self) ?? .async
        callback = try arguments.choice(.callback, of: Self.self)
    }

    func run(_ lab: Lab) async throws {
        let deployment = try await lab.deployment()
        let name = try deployment.providerName(provider)
        let redirectURI = try deployment.sessions.descriptor(of: name).redirectURI
        let mode = callback ?? .suited(to: redirectURI)
        let presenter = mode.presenter(transport: deployment.environment.transport) { [output = lab.output] url in
            output.authorize(url, mode: mode)
        }
        let flow = LoginFlow(provider: name, sessions: deployment.sessions, presenter: presenter)
        let session = try await deployment.draining { try await entryPoint.login(flow) }
        lab.output.session(session)
    }
}
