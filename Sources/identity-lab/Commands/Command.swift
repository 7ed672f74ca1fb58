/// One of the program's commands.
protocol Command: Sendable {
    static var name: String { get }
    /// The name with its options, for the first line of the help.
    static var usage: String { get }
    static var summary: String { get }
    /// What the command can do, one word of which stands behind its name; empty where it does one thing.
    static var actions: [String] { get }
    static var options: [Option] { get }
    static var examples: [String] { get }

    /// Reads the options.
    ///
    /// - Throws: ``UsageError``.
    init(_ arguments: Arguments) throws

    func run(_ lab: Lab) async throws
}

extension Command {
    static var actions: [String] { [] }
}

extension Arguments {
    /// The value of an option that must be given.
    func require(_ option: Option, of command: any Command.Type) throws(UsageError) -> String {
        guard let value = self[option] else {
            throw UsageError("\(option.name) is missing.", command: command)
        }
        return value
    }

    /// One of the values that an option may have, nil where it was not given.
    func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ option: Option,
        of command: any Command.Type
    ) throws(UsageError) -> Choice? {
        guard let value = self[option] else { return nil }
        guard let choice = Choice(rawValue: value) else {
            let all = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("\(option.name) must be one of \(all).", command: command)
        }
        return choice
    }
}
