internal import IdentityHTTP
internal import IdentityKit
internal import IdentitySandbox
internal import IdentityWeb

/// The control port of `identity-lab sandbox`: commands for the running sandbox as JSON over HTTP.
struct ControlPort: Sendable {
    let control: SandboxControl
    /// The bearer token that every command must contain, so that a web page in a browser cannot send a command.
    let token: String

    func answer(_ request: WebRequest) async -> WebResponse {
        let name = String(request.path.dropFirst())
        switch request.method {
        case .get where name.isEmpty: return .json(["commands": .object(Self.commands)])
        case .post:
            guard isAuthorized(request) else {
                return Self.refusal(
                    401,
                    "The request does not contain the bearer token of this run.",
                    hint:
                        "Send the token that identity-lab sandbox printed at its start, in the header: Authorization: Bearer TOKEN.",
                    headers: [("WWW-Authenticate", "Bearer")]
                )
            }
            return await run(name, request)
        case .get: return Self.unknown(name)
        default: return Self.refusal(405, "The method must be GET or POST.", headers: [("Allow", "GET, POST")])
        }
    }

    private func isAuthorized(_ request: WebRequest) -> Bool {
        let values = request.headers.values(for: "Authorization")
        guard values.count == 1, let parts = values.first?.split(separator: " "), parts.count == 2,
            parts[0].lowercased() == "bearer"
        else { return false }
        return Secret(String(parts[1])).isEqual(to: Secret(token))
    }

    private func run(_ name: String, _ request: WebRequest) async -> WebResponse {
        guard let command = ControlCommand(rawValue: name) else { return Self.unknown(name) }
        guard request.target.isIdentical(to: request.path) else {
            return Self.refusal(
                400,
                "The URL of a command must not have a query.",
                hint: "Remove the query from the URL. Send the members of the command as a JSON object in the body."
            )
        }
        do {
            let value = request.body.isEmpty ? .object([:]) : try JSONValue(parsing: request.body)
            guard let members = value.object else {
                return Self.refusal(400, "The body must be a JSON object.", hint: Self.bodyHint)
            }
            var answer: JSONObject = ["command": .string(command.rawValue)]
            for member in try await control.run(command, members).members { answer[member.name] = member.value }
            return .json(answer)
        } catch let error as IdentityError {
            return Self.refusal(400, error.message, hint: error.hint)
        } catch {
            return Self.refusal(400, "The body is not valid JSON: \(error)", hint: Self.bodyHint)
        }
    }

    private static let bodyHint = "Send a JSON object as the body. Send GET / to list the commands and their members."

    private static var commands: JSONObject {
        var commands = JSONObject()
        for command in ControlCommand.allCases {
            var members = JSONObject()
            for (name, values) in command.members { members[name] = .string(values) }
            commands[command.rawValue] = .object([
                "summary": .string(command.summary), "members": .object(members),
            ])
        }
        return commands
    }

    // MARK: Responses

    private static func unknown(_ name: String) -> WebResponse {
        guard ControlCommand(rawValue: name) == nil else {
            return refusal(
                405,
                "\(name) is a command, so its method must be POST.",
                hint: "Send the command with POST, and with the token that identity-lab sandbox printed at its start.",
                headers: [("Allow", "POST")]
            )
        }
        let nearest = Spelling.nearest(to: name, among: ControlCommand.allCases.map(\.rawValue))
        let suggestion = nearest.map { "; did you mean \($0)?" } ?? "."
        return refusal(
            404,
            "There is no command \(name.printable)\(suggestion)",
            hint: "Send GET / to list the commands."
        )
    }

    private static func refusal(
        _ status: Int,
        _ message: String,
        hint: String? = nil,
        headers: [(name: String, value: String)] = []
    ) -> WebResponse {
        var members: JSONObject = ["error": .string(message)]
        members["hint"] = hint.map { .string($0) }
        var response = WebResponse.json(members, status: status)
        for (name, value) in headers { try? response.headers.set(name, value) }
        return response
    }
}
