internal import IdentityHTTP
internal import IdentityKit

/// Ends a session.
struct LogoutCommand: Command {
    static let name = "logout"
    static let usage = "logout --session ID"
    static let summary = "End a session: delete it, detach its cart and print the provider's logout page."
    static let options: [Option] = [.session]
    static let examples = ["identity-lab logout --session ID"]

    private let session: SessionID

    init(_ arguments: Arguments) throws {
        session = try arguments.sessionID(of: Self.self)
    }

    func run(_ lab: Lab) async throws {
        let deployment = try await lab.deployment()
        let result = try await deployment.draining { try await deployment.sessions.logout(session) }
        var members: JSONObject = ["browser_url": result.browserURL.map { .string($0.text) } ?? .null]
        if !result.problems.isEmpty {
            members["problems"] = .array(result.problems.map { .string("\($0.code): \($0.message)") })
        }
        let problems = result.problems.map { "Warning: \($0.message.printable)" }
        let page =
            result.browserURL.map { "Send the browser to:\n\n  \($0.text)\n" }
            ?? "The provider has no logout page."
        lab.output.event("logout", members, text: (["Signed out.", page] + problems).joined(separator: "\n"))
    }
}
