internal import IdentityKit

enum Program {
    /// The commands in the order of the help; a command line without a command runs ``JourneyCommand``.
    static let commands: [any Command.Type] = [
        LoginCommand.self, TokenCommand.self, ProfileCommand.self, CallCommand.self, SessionsCommand.self,
        LogoutCommand.self, CartCommand.self, CheckCommand.self, KeysCommand.self, CompareCommand.self,
        SandboxCommand.self, ServeCommand.self,
    ]

    static func run(_ commandLine: [String]) async -> Int32 {
        // The parser's errors are also JSON with --json, so the program looks for --json before it parses the command line.
        let output = Output(isJSON: commandLine.contains(Option.json.name))
        let interruption = Interruption()
        let status = await run(commandLine, output, interruption)
        guard output.isIncomplete(afterInterruption: interruption.isRequested) else { return status }
        output.note("identity-lab: The output could not be written to standard output.")
        output.note(
            "  Check the reader of the pipe, or the space on the disk. What the command has stored remains stored; "
                + "\"identity-lab sessions\" lists the sessions."
        )
        return status == ExitStatus.done ? ExitStatus.outputIncomplete : status
    }

    private static func run(_ commandLine: [String], _ output: Output, _ interruption: Interruption) async -> Int32 {
        let isVerbose = commandLine.contains(Option.verbose.name)
        do {
            let (command, arguments) = try CommandLineParser(commands).parse(commandLine)
            if arguments.contains(.help) {
                let text = command.map { Help.text(of: $0) } ?? Help.text(of: commands)
                output.event("help", ["text": .string(text)], text: text)
                return ExitStatus.done
            }
            let lab = Lab(arguments: arguments, output: output)
            let type = command ?? JourneyCommand.self
            let task = Task { try await type.make(arguments).run(lab) }
            interruption.onRequest { task.cancel() }
            if type.runsUntilInterrupted { output.onFailure { task.cancel() } }
            let result = await task.result
            if let warning = lab.nonDurableTokens.warning { output.warning(warning) }
            try result.get()
            return lab.nonDurableTokens.warning == nil ? ExitStatus.done : ExitStatus.operatorMustAct
        } catch let error as UsageError {
            if output.isJSON { output.note("identity-lab: \(error.message) \(error.hint)") }
            return report(error.identityError, output, isVerbose)
        } catch {
            let cancelled = IdentityError(
                .cancelled,
                .cancelled,
                "The command was cancelled.",
                hint:
                    "Check what the command has done, such as lines that it added to a cart. Then start the command again."
            )
            return report(interruption.isRequested ? cancelled : .wrapping(error), output, isVerbose)
        }
    }

    private static func report(_ error: IdentityError, _ output: Output, _ isVerbose: Bool) -> Int32 {
        output.error(error, isVerbose: isVerbose)
        return ExitStatus.of(error.kind)
    }
}
