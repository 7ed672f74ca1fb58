internal import IdentityKit
internal import IdentitySandbox

/// Runs the fake providers until it is interrupted.
struct SandboxCommand: Command {
    static let name = "sandbox"
    static let usage = "sandbox [--port N]"
    static let summary = "Run the fake providers until interrupted; print a configuration file for them."
    static let options: [Option] = [port]
    static let examples = [
        "identity-lab sandbox --port 8400 > sandbox.json 2> sandbox.env &",
        "identity-lab sandbox --json",
    ]
    private static let port = Option(
        name: "--port",
        form: .value("N"),
        help: "The first of six consecutive ports on 127.0.0.1; free ones unless given."
    )

    private let port: UInt16

    init(_ arguments: Arguments) throws {
        guard let text = arguments[Self.port] else {
            port = 0
            return
        }
        guard let number = UInt16(text), (1...65530).contains(number) else {
            throw UsageError("--port must be a number from 1 to 65530.", command: Self.self)
        }
        port = number
    }

    func run(_ lab: Lab) async throws {
        let sandbox = try await start()
        // A key that is already there opens the store of an earlier run.
        let key = IdentityConfiguration.processEnvironment["IDENTITY_STORE_KEY"].flatMap { $0.isEmpty ? nil : $0 }
        let configuration = sandbox.labConfiguration(
            storePath: lab.arguments[.store] ?? "identity.sqlite",
            storeKey: key
        )
        var environment = JSONObject()
        for (name, value) in configuration.environment.sorted(by: { $0.key < $1.key }) {
            environment[name] = .string(value)
        }
        lab.output.event(
            "sandbox",
            ["configuration": configuration.json, "environment": .object(environment)],
            text: configuration.text
        )
        if !lab.output.isJSON {
            // The file goes to standard output alone, so that it can be redirected.
            lab.output.note("# The variables that the configuration refers to:\n\(configuration.environmentText)")
            lab.output.note("# The sandbox runs until it is interrupted (Ctrl-C).")
        }
        // To be interrupted is how this command ends, hence no error.
        try? await Task.sleep(for: .seconds(.max / 4))
        await sandbox.stop()
    }

    private func start() async throws -> Sandbox {
        var configuration = SandboxConfiguration()
        configuration.openID.supportsDeviceAuthorization = true
        do {
            return try await Sandbox.start(configuration, port: port)
        } catch {
            throw IdentityError(
                .configuration,
                IdentityError.Code(rawValue: "port_taken"),
                "The sandbox cannot listen on its ports.",
                hint: "Another program may use one of them; without --port free ones are chosen.",
                cause: error
            )
        }
    }
}
