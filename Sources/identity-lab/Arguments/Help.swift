enum Help {
    static func text(of command: any Command.Type) -> String {
        var lines = ["identity-lab \(command.usage)", "", command.summary]
        if !command.options.isEmpty { lines += ["", "Options:"] + list(command.options) }
        lines += ["", "Common options:"] + list(Option.common)
        if !command.examples.isEmpty { lines += ["", "Examples:"] + command.examples.map { "  " + $0 } }
        return lines.joined(separator: "\n")
    }

    static func text(of commands: [any Command.Type]) -> String {
        let width = commands.map { $0.name.count }.max() ?? 0
        let list = commands.map { "  \(pad($0.name, width))  \($0.summary)" }
        return """
            identity-lab [COMMAND] [options]

            Signs buyers in with the configured providers, stores their sessions and attaches their identity to carts.
            Without a command it runs everything from login to logout against the embedded sandbox, or with --config against
            the configured services. The variable IDENTITY_CONFIG has no effect on this run.

            Commands:
            \(list.joined(separator: "\n"))

            Options without a command:
            \(Self.list(JourneyCommand.options).joined(separator: "\n"))

            Common options:
            \(Self.list(Option.common).joined(separator: "\n"))

            Exit status: 0 success; 1 refused, rejected, a new login is needed or the output could not be written;
            2 wrong usage or configuration; 3 success, but an operator must act: new tokens could not be stored, or
            background work such as a refresh or a cart change had not ended \(Deployment.lastWorkSeconds) seconds after the
            rest of the command; 75 try again later; 130 cancelled.

            Examples:
              identity-lab
              identity-lab sandbox --port 8400 > sandbox.json
              identity-lab login --config sandbox.json --provider shopify --callback sandbox
              identity-lab login --help
            """
    }

    private static func list(_ options: [Option]) -> [String] {
        let width = options.map { min($0.usage.count, 28) }.max() ?? 0
        return options.flatMap { option in
            let lines = wrap(option.help, to: 120 - width - 4)
            let isWide = option.usage.count > width
            let first = isWide ? ["  \(option.usage)"] : []
            let texts = lines.enumerated().map { index, line in
                "  \(pad(index == 0 && !isWide ? option.usage : "", width))  \(line)"
            }
            return first + texts
        }
    }

    private static func wrap(_ text: String, to width: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + word.count < width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
