internal import IdentityKit
internal import IdentitySetup

struct Lab: Sendable {
    let arguments: Arguments
    let output: Output
    let nonDurableTokens = NonDurableTokens()

    var isVerbose: Bool { arguments.contains(.verbose) }

    var configurationPath: String? {
        arguments[.config]
            ?? IdentityConfiguration.processEnvironment["IDENTITY_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The store key for a sandbox, from `IDENTITY_STORE_KEY`; nil for a random key.
    ///
    /// The key of an earlier run opens the store of that run.
    static var storeKey: String? {
        IdentityConfiguration.processEnvironment["IDENTITY_STORE_KEY"].flatMap { $0.isEmpty ? nil : $0 }
    }

    func configuration() throws -> IdentityConfiguration {
        guard let path = configurationPath else {
            throw IdentityError(
                configuration: "No configuration file was given.",
                hint:
                    "Pass --config FILE, or set the environment variable IDENTITY_CONFIG to the file's path. For the fake providers, run "
                    + "\"identity-lab sandbox\": it prints a configuration and the environment variables for it."
            )
        }
        return try IdentityConfiguration(contentsOf: path)
    }

    /// Without `creatingStore`, a missing store is an error, because its path may be wrong.
    func deployment(creatingStore: Bool = false) async throws -> Deployment {
        var options = IdentitySetup.Options()
        options.observers = observers
        let transport = try Deployment.systemTransport()
        // The whole configuration is checked before a store is opened or created.
        let setup = try await IdentitySetup.open(
            try configuration(),
            environment: IdentityEnvironment(transport: transport, observers: observers),
            options: options
        ) { section in
            try await OpenedStore.open(section, path: arguments[.store], creates: creatingStore).store
        }
        return Deployment(setup, nonDurableTokens)
    }

    /// Opens the existing store without the providers, so their secrets are not needed.
    func openStore() async throws -> any MaintainedStore {
        try await OpenedStore.open(configuration().store, path: arguments[.store], creates: false).store
    }

    var observers: [any IdentityObserver] { isVerbose ? [EventPrinter(output: output)] : [] }
}
