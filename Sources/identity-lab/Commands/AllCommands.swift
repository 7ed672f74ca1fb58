extension Program {
    /// All commands, in the order of the help.
    static let commands: [any Command.Type] = [
        LoginCommand.self, TokenCommand.self, ProfileCommand.self, CallCommand.self, SessionsCommand.self,
        LogoutCommand.self,
        CartCommand.self, CheckCommand.self, KeysCommand.self, CompareCommand.self, SandboxCommand.self,
        ServeCommand.self,
    ]
}
