internal import IdentityKit

struct SessionsCommand: Command {
    static let name = "sessions"
    static let summary =
        "List the stored sessions by their references, which are not secret; --json also prints their ids, which are secret."
    static let options: [Option] = [
        Option("\(Option.provider.name) NAME", "List only the sessions of this provider.")
    ]
    static let examples = ["identity-lab sessions", "identity-lab sessions --provider bolt --json"]

    private let provider: String?

    init(_ arguments: Arguments) {
        provider = arguments[.provider]
    }

    func run(_ lab: Lab) async throws {
        let deployment = try await lab.deployment()
        if let provider { _ = try Deployment.providerName(provider, among: deployment.sessions.providerNames) }
        let sessions = try await deployment.sessions.sessions(matching: SessionFilter(provider: provider))
        for session in sessions { lab.output.session(session, showsID: false) }
        if sessions.isEmpty { lab.output.line("No sessions were found.") }
    }
}
