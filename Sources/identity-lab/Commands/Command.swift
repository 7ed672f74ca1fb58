protocol Command: Sendable {
    /// The name on the command line; empty for ``JourneyCommand``, which runs without a name.
    static var name: String { get }
    /// The name, actions, options and operand, for the first line of the help.
    static var usage: String { get }
    static var summary: String { get }
    /// The actions, such as `rotate`, of which one follows the command's name; empty for most commands.
    static var actions: [String] { get }
    /// The placeholder in the help for the argument after the command's name, such as `URL`; nil for most commands.
    static var operand: String? { get }
    static var options: [Option] { get }
    static var examples: [String] { get }
    /// Whether the command runs until it is interrupted or its output can no longer be written; false for most commands.
    static var runsUntilInterrupted: Bool { get }

    /// Throws ``UsageError`` if the command line is wrong, or the error of a file that an option names.
    init(_ arguments: Arguments) throws

    func run(_ lab: Lab) async throws
}

extension Command {
    static var actions: [String] { [] }
    static var operand: String? { nil }
    static var runsUntilInterrupted: Bool { false }
    static var usage: String {
        let parts = [name, actions.joined(separator: "|")] + options.map(\.synopsis) + [operand ?? ""]
        return parts.filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// Creates the command; if that fails with a usage error, the hint of the error names the help of this command.
    static func make(_ arguments: Arguments) throws -> Self {
        do {
            return try Self(arguments)
        } catch var error as UsageError {
            error.command = Self.self
            throw error
        }
    }
}
