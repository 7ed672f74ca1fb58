/// An option of the command line.
struct Option: Sendable {
    enum Form: Sendable {
        /// Stands alone.
        case flag
        /// Takes a value, shown under this name; may be given once.
        case value(String)
        /// Takes a value and may be given again.
        case values(String)
    }

    /// The name with its dashes.
    let name: String
    let form: Form
    let help: String

    /// Whether a value stands behind the name.
    var takesValue: Bool {
        if case .flag = form { false } else { true }
    }

    /// The option as the help shows it.
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
        help: "The configuration file (JSON); otherwise $IDENTITY_CONFIG."
    )
    static let store = Option(
        name: "--store",
        form: .value("PATH"),
        help: "The session database instead of the configured store.path."
    )
    static let json = Option(name: "--json", form: .flag, help: "One JSON object a line on standard output.")
    static let verbose = Option(name: "--verbose", form: .flag, help: "Tell on standard error what happens inside.")
    static let help = Option(name: "--help", form: .flag, help: "This text.")

    static let common = [config, store, json, verbose, help]

    static let provider = Option(
        name: "--provider",
        form: .value("NAME"),
        help: "A name under \"providers\"; may be left out where there is only one."
    )
    static let session = Option(name: "--session", form: .value("ID"), help: "The session id that login printed.")
    static let callbackModes = CallbackMode.allCases.map(\.rawValue).joined(separator: "|")
    static let callback = Option(
        name: "--callback",
        form: .value(callbackModes),
        help:
            "How the callback comes back: a listener on this machine with the system browser, a line on standard input, or "
            + "the sandbox's robot. By default loopback where the redirect URI is a loopback one, otherwise stdin."
    )
}
