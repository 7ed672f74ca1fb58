/// An option of the command line.
struct Option: Sendable {
    enum Form: Sendable {
        /// Takes no value.
        case flag
        /// Takes a value, which the help shows under this name; may be given once.
        case value(String)
        /// Takes a value and may be given several times.
        case values(String)
    }

    /// The name with its dashes.
    let name: String
    let form: Form
    let help: String

    /// Whether the option takes a value.
    var takesValue: Bool {
        if case .flag = form { false } else { true }
    }

    /// The option as shown in the help.
    var usage: String {
        switch form {
        case .flag: name
        case .value(let value), .values(let value): "\(name) \(value)"
        }
    }
}

extension Option {
    static let config = Option(
        name: "--config",
        form: .value("FILE"),
        help: "The configuration file (JSON); by default the file named by $IDENTITY_CONFIG."
    )
    static let store = Option(
        name: "--store",
        form: .value("PATH"),
        help: "The SQLite file for sessions; replaces store.path of the configuration."
    )
    static let json = Option(name: "--json", form: .flag, help: "Print one JSON object per line on standard output.")
    static let verbose = Option(
        name: "--verbose",
        form: .flag,
        help: "Print events and error details on standard error."
    )
    static let help = Option(name: "--help", form: .flag, help: "Print this help.")

    static let common = [config, store, json, verbose, help]

    static let provider = Option(
        name: "--provider",
        form: .value("NAME"),
        help: "The provider's name in the configuration; optional if only one is configured."
    )
    static let session = Option(name: "--session", form: .value("ID"), help: "The session id, as printed by login.")
    static let callbackModes = CallbackMode.allCases.map(\.rawValue).joined(separator: "|")
    static let callback = Option(
        name: "--callback",
        form: .value(callbackModes),
        help:
            "How to receive the callback: with the system browser and a listener on this machine, as a line on standard input, or "
            + "with the sandbox's robot. By default loopback for a loopback redirect URI, otherwise stdin."
    )
}
