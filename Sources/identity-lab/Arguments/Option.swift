struct Option: Sendable {
    /// The option as shown in the help: its name with the dashes and, if it takes a value, a placeholder such as `FILE`.
    let usage: String
    let name: String
    let isRequired: Bool
    /// Whether an option with a value may occur several times.
    let repeats: Bool
    let help: String

    init(_ usage: String, isRequired: Bool = false, repeats: Bool = false, _ help: String) {
        self.usage = usage
        self.isRequired = isRequired
        self.repeats = repeats
        self.help = help
        name = String(usage.prefix { $0 != " " })
    }

    var takesValue: Bool { usage != name }

    var synopsis: String {
        let text = repeats ? usage + " ..." : usage
        return isRequired ? text : "[\(text)]"
    }
}

extension Option {
    static let config = Option(
        "--config FILE",
        "The configuration file (JSON); by default the file named by $IDENTITY_CONFIG, except for the run without a command."
    )
    static let store = Option("--store PATH", "The SQLite file for sessions; replaces store.path or store.postgres.")
    static let json = Option("--json", "Print one JSON object per line on standard output.")
    static let verbose = Option("--verbose", "Print events and error details on standard error.")
    static let help = Option("--help", "Print this help.")

    static let common = [config, store, json, verbose, help]

    static let provider = Option(
        "--provider NAME",
        "The provider's name in the configuration; optional if only one is configured."
    )
    static let session = Option(
        "--session ID",
        isRequired: true,
        "The session's id, as printed by login, or its reference, as printed by sessions. Keep the id secret: it is the value of "
            + "the session cookie, which signs a browser in."
    )
    static let callbackModes = CallbackMode.allCases.map(\.rawValue).joined(separator: "|")
    static let callback = Option(
        "--callback \(callbackModes)",
        "How to receive the callback. loopback: with the system browser and a listener on this machine. stdin: as a line on "
            + "standard input. sandbox: from the sandbox's robot. By default loopback for a loopback redirect URI, otherwise stdin."
    )
    /// The callback option of commands that can run the embedded sandbox.
    static let runCallback = Option(callback.usage, callback.help + " The embedded sandbox always uses its robot.")
}
