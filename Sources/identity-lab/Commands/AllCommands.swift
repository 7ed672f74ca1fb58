extension Program {
    /// The commands that can be named, in the order of the help; without a name, ``JourneyCommand`` runs.
    static let commands: [any Command.Type] = [
        LoginCommand.self, TokenCommand.self, ProfileCommand.self, CallCommand.self, SessionsCommand.self,
        LogoutCommand.self,
        CartCommand.self, CheckCommand.self, KeysCommand.self, CompareCommand.self, SandboxCommand.self,
        ServeCommand.self,
    ]
}
