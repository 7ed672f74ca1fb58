internal import IdentityKit

struct Arguments: Sendable {
    private var given: [(name: String, value: String)] = []
    /// The argument after the command's name: an action such as `rotate`, or an operand such as a URL.
    var action: String?

    mutating func insert(_ value: String, for option: Option) {
        given.append((option.name, value))
    }

    func contains(_ option: Option) -> Bool {
        given.contains { $0.name == option.name }
    }

    subscript(_ option: Option) -> String? {
        given.first { $0.name == option.name }?.value
    }

    func values(of option: Option) -> [String] {
        given.filter { $0.name == option.name }.map(\.value)
    }

    func seconds(_ option: Option) throws(UsageError) -> Duration? {
        guard let text = self[option] else { return nil }
        guard let seconds = Int(text), (0...31_536_000).contains(seconds) else {
            throw UsageError("\(option.name) must be an integer from 0 to 31536000 (seconds).")
        }
        return .seconds(seconds)
    }

    func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ option: Option
    ) throws(UsageError) -> Choice? {
        guard let value = self[option] else { return nil }
        guard let choice = Choice(rawValue: value) else {
            let all = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("\(option.name) must be one of \(all).")
        }
        return choice
    }

    func session() throws(UsageError) -> SessionArgument {
        guard let text = self[.session] else { throw UsageError("\(Option.session.name) is missing.") }
        if let id = SessionID(rawValue: text) { return .id(id) }
        if let reference = SessionReference(rawValue: text) { return .reference(reference) }
        throw UsageError(
            "--session must be a session id (22 characters, as printed by login) or a reference (16 characters, as printed by sessions)."
        )
    }
}
