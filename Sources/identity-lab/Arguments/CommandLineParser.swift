/// Reads a command line: `--name value`, `--name=value`, one command.
struct CommandLineParser {
    private let commands: [any Command.Type]

    init(_ commands: [any Command.Type]) {
        self.commands = commands
    }

    /// The command that was asked for, nil for none, and its options.
    ///
    /// - Throws: ``UsageError``.
    func parse(_ words: [String]) throws -> (command: (any Command.Type)?, arguments: Arguments) {
        // Options may stand in front of their command, so it is looked for first.
        let (command, action) = try self.command(words)
        var arguments = Arguments()
        arguments.action = action
        var rest = words[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("-") else { continue }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts.first.map(String.init) ?? word
            let option = try find(name == "-h" ? "--help" : name, of: command)
            let inline = parts.count == 2 ? String(parts[1]) : nil
            try add(option, inline, &rest, &arguments, command)
        }
        return (command, arguments)
    }

    /// The word that is neither an option nor the value of one, and its action where it has any; an option takes a value in every
    /// command or in none.
    private func command(_ words: [String]) throws(UsageError) -> ((any Command.Type)?, action: String?) {
        let options = Option.common + (commands + [JourneyCommand.self]).flatMap { $0.options }
        var command: (any Command.Type)?
        var action: String?
        var rest = words[...]
        while let word = rest.popFirst() {
            guard !word.hasPrefix("-") else {
                let option = options.first { $0.name == word }
                if let option, option.takesValue, rest.first?.hasPrefix("--") == false { rest.removeFirst() }
                continue
            }
            if let command {
                guard action == nil, !command.actions.isEmpty else {
                    throw UsageError("\(Self.quoted(word)) is not an option.", command: command)
                }
                guard command.actions.contains(word) else {
                    throw UsageError(
                        "\(Self.quoted(word)) is none of \(command.actions.joined(separator: ", ")).",
                        suggestion: Self.nearest(word, among: command.actions),
                        command: command
                    )
                }
                action = word
            } else {
                command = try find(word)
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
        switch option.form {
        case .flag:
            guard inline == nil else { throw UsageError("\(option.name) takes no value.", command: command) }
            arguments.insert("", for: option)
        case .value, .values:
            // A value may begin with a dash only behind "=": what looks like an option is most likely a forgotten value.
            let following = rest.first.flatMap { $0.hasPrefix("--") ? nil : $0 }
            if inline == nil, following != nil { rest.removeFirst() }
            guard let value = inline ?? following, !value.isEmpty else {
                throw UsageError("\(option.usage) needs a value.", command: command)
            }
            if case .value = option.form, arguments.contains(option) {
                throw UsageError("\(option.name) is given twice.", command: command)
            }
            arguments.insert(value, for: option)
        }
    }

    private func find(_ name: String) throws(UsageError) -> any Command.Type {
        guard let command = commands.first(where: { $0.name == name }) else {
            throw UsageError(
                "There is no command \(Self.quoted(name)).",
                suggestion: Self.nearest(name, among: commands.map { $0.name })
            )
        }
        return command
    }

    private func find(_ name: String, of command: (any Command.Type)?) throws(UsageError) -> Option {
        let known = (command ?? JourneyCommand.self).options + Option.common
        if let option = known.first(where: { $0.name == name }) { return option }
        let owner = commands.first { $0.options.contains { $0.name == name } }
        if command == nil, let owner {
            throw UsageError("\(name) is an option of a command, for example of \(owner.name).", command: nil)
        }
        throw UsageError(
            "The option \(Self.quoted(name)) is not known.",
            suggestion: Self.nearest(name, among: known.map(\.name)),
            command: command
        )
    }

    private static func quoted(_ text: String) -> String {
        "\"\(text.prefix(60).printable)\""
    }

    /// The candidate with the fewest changes to it, if they are few.
    private static func nearest(_ word: String, among candidates: [String]) -> String? {
        candidates.map { ($0, distance(Array(word.utf8.prefix(40)), Array($0.utf8))) }
            .filter { $0.1 <= 3 }
            .min { $0.1 < $1.1 }?.0
    }

    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var row = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in right.enumerated() {
                let cost = a == b ? diagonal : min(diagonal, row[j], row[j + 1]) + 1
                diagonal = row[j + 1]
                row[j + 1] = cost
            }
        }
        return row[right.count]
    }
}

/// What was given on the command line.
struct Arguments: Sendable {
    private var given: [(name: String, value: String)] = []
    /// The word behind the command's name, for a command that does several things.
    var action: String?

    mutating func insert(_ value: String, for option: Option) {
        given.append((option.name, value))
    }

    func contains(_ option: Option) -> Bool {
        given.contains { $0.name == option.name }
    }

    /// The value of an option, nil where it was not given.
    subscript(_ option: Option) -> String? {
        given.first { $0.name == option.name }?.value
    }

    /// The values of an option that may be given again.
    func values(of option: Option) -> [String] {
        given.filter { $0.name == option.name }.map(\.value)
    }
}
