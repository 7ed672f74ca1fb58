internal import IdentityKit

/// Parses the command line: an optional command, its action or operand, and options of the form `--name`, `--name value` or
/// `--name=value`.
struct CommandLineParser {
    private let commands: [any Command.Type]
    private let options: [Option]

    init(_ commands: [any Command.Type]) {
        self.commands = commands
        options = Option.common + (commands + [JourneyCommand.self]).flatMap { $0.options }
    }

    func parse(_ commandLine: [String]) throws -> (command: (any Command.Type)?, arguments: Arguments) {
        // Options may precede the command that defines them, so the command is found first.
        let (command, action) = try self.command(in: commandLine)
        var arguments = Arguments()
        arguments.action = action
        var rest = commandLine[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("-") else { continue }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = Self.name(of: argument)
            let option = try find(name == "-h" ? "--help" : name, of: command)
            let inline = parts.count == 2 ? String(parts[1]) : nil
            try add(option, inline, &rest, &arguments, command)
        }
        return (command, arguments)
    }

    /// An option takes a value for every command or for no command, so this method can skip values before it knows the command.
    private func command(in commandLine: [String]) throws(UsageError) -> ((any Command.Type)?, action: String?) {
        var command: (any Command.Type)?
        var action: String?
        // The argument after an unknown option is probably the option's value, so the error names the option and not this argument.
        var unknownOption: String?
        var rest = commandLine[...]
        while let argument = rest.popFirst() {
            guard !argument.hasPrefix("-") else {
                if !isOption(argument), argument != "-h" { unknownOption = unknownOption ?? Self.name(of: argument) }
                let option = options.first { $0.name == argument }
                if let option, option.takesValue, let value = rest.first, !isOption(value) { rest.removeFirst() }
                continue
            }
            if let command {
                guard action == nil, !command.actions.isEmpty || command.operand != nil else {
                    if let unknownOption { throw unknown(unknownOption, of: command) }
                    let isSession =
                        Self.isSessionID(argument) && command.options.contains { $0.name == Option.session.name }
                    throw UsageError(
                        "Unexpected argument \(Self.shown(argument)).",
                        suggestion: isSession ? Option.session.usage : nil,
                        command: command
                    )
                }
                guard command.operand != nil || command.actions.contains(argument) else {
                    if let unknownOption { throw unknown(unknownOption, of: command) }
                    throw UsageError(
                        "Unknown action \(Self.shown(argument)) of \(command.name). "
                            + "Use one of: \(command.actions.joined(separator: ", ")).",
                        suggestion: Spelling.nearest(to: argument, among: command.actions),
                        command: command
                    )
                }
                action = argument
            } else {
                if let unknownOption, !commands.contains(where: { $0.name == argument }) {
                    throw unknown(unknownOption, of: nil)
                }
                command = try find(argument)
            }
        }
        return (command, action)
    }

    private func add(
        _ option: Option,
        _ inline: String?,
        _ rest: inout ArraySlice<String>,
        _ arguments: inout Arguments,
        _ command: (any Command.Type)?
    ) throws(UsageError) {
        guard option.takesValue else {
            guard inline == nil else { throw UsageError("\(option.name) takes no value.", command: command) }
            return arguments.insert("", for: option)
        }
        // If the next argument is an option, the value was forgotten. Any other argument is the value: session ids may begin with a dash.
        let following = rest.first.flatMap { isOption($0) ? nil : $0 }
        if inline == nil, following != nil { rest.removeFirst() }
        guard let value = inline ?? following, !value.isEmpty else {
            let advice =
                inline == nil && following == nil && !rest.isEmpty
                ? " Write \(option.name)=VALUE if the value is the name of an option." : ""
            throw UsageError("\(option.usage) needs a value.\(advice)", command: command)
        }
        guard option.repeats || !arguments.contains(option) else {
            throw UsageError("\(option.name) may be given only once.", command: command)
        }
        arguments.insert(value, for: option)
    }

    private func isOption(_ argument: String) -> Bool {
        let name = Self.name(of: argument)
        return options.contains { $0.name == name }
    }

    private static func name(of argument: String) -> String { String(argument.prefix { $0 != "=" }) }

    private static func isSessionID(_ text: String) -> Bool { SessionID(rawValue: text) != nil }

    /// Returns an argument for an error message; hides the id of a session, because this id signs a browser in.
    private static func shown(_ argument: String) -> String {
        isSessionID(argument) ? "\"…\" (the id of a session)" : argument.quoted
    }

    private func find(_ name: String) throws(UsageError) -> any Command.Type {
        guard let command = commands.first(where: { $0.name == name }) else {
            throw UsageError(
                "Unknown command \(Self.shown(name)).",
                suggestion: Spelling.nearest(to: name, among: commands.map { $0.name })
            )
        }
        return command
    }

    private func find(_ name: String, of command: (any Command.Type)?) throws(UsageError) -> Option {
        let known = (command ?? JourneyCommand.self).options + Option.common
        if let option = known.first(where: { $0.name == name }) { return option }
        let owner = commands.first { $0.options.contains { $0.name == name } }
        if command == nil, let owner {
            throw UsageError("\(name) needs a command, for example \(owner.name).", command: nil)
        }
        throw unknown(name, of: command)
    }

    private func unknown(_ name: String, of command: (any Command.Type)?) -> UsageError {
        let known = command.map { $0.options + Option.common } ?? options
        let suggestion = Spelling.nearest(to: name, among: known.map(\.name))
        // `shown` hides a text that looks like the id of a session. A name similar to an option is a misspelt option, so it is not hidden.
        let text = suggestion == nil ? Self.shown(name) : name.quoted
        return UsageError("Unknown option \(text).", suggestion: suggestion, command: command)
    }
}
