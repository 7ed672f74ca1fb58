internal import IdentityKit

/// What every command works with: the options that all have, and the way out.
struct Lab: Sendable {
    let arguments: Arguments
    let output: Output
    let lostTokens = LostTokens()

    init(_ arguments: Arguments, _ output: Output) {
        self.arguments = arguments
        self.output = output
    }

    var isVerbose: Bool { arguments.contains(.verbose) }

    var palette: Palette { Palette(isColored: output.isColored) }

    /// The path of the configuration file, nil where none was named.
    var configurationPath: String? {
        arguments[.config]
            ?? IdentityConfiguration.processEnvironment["IDENTITY_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
    }

    func configuration() throws -> IdentityConfiguration {
        guard let path = configurationPath else {
            throw IdentityError(
                .configuration,
                .configurationInvalid,
                "No configuration file was named.",
                hint: "Pass --config FILE or set IDENTITY_CONFIG. \"identity-lab sandbox\" prints one to begin with."
            )
        }
        return try IdentityConfiguration(contentsOf: path)
    }

    /// Everything that the configuration describes, opened.
    ///
    /// - Parameter creatingStore: Whether the store is made where there is none. Without it a wrong path is an error, and not an empty
    ///   store in which nobody is signed in.
    func deployment(creatingStore: Bool = false) async throws -> Deployment {
        let configuration = try configuration()
        let environment = IdentityEnvironment(transport: try Deployment.systemTransport())
        // What is wrong with the configuration is said before a store is touched.
        let providers = try Deployment.providers(configuration, environment)
        let store = try await StoreOpening.open(
            configuration.store,
            path: arguments[.store],
            creates: creatingStore
        )
        .store
        return try Deployment(configuration, providers, store, environment, observers, lostTokens)
    }

    /// The configured store alone, which must exist: providers, and their secrets, are not asked for.
    func openStore() async throws -> any Sendable {
        try await StoreOpening.open(configuration().store, path: arguments[.store], creates: false).store
    }

    var observers: [any IdentityObserver] { isVerbose ? [EventPrinter(output: output)] : [] }
}
