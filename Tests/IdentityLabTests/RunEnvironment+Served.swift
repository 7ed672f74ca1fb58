@testable import identity_lab

extension RunEnvironment {
    /// The environment of `serve` with the embedded sandbox, for the routes at an origin.
    static func served(_ lab: Lab, at origin: String) async throws -> RunEnvironment {
        try await open(
            lab,
            usesServices: false,
            callback: nil,
            tokenLifetime: servedTokenLifetime,
            routesOrigin: origin
        )
    }
}
