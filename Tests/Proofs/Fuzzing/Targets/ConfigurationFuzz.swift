import IdentityBolt
import IdentityHTTP
import IdentityKit
import IdentityOIDC
import IdentityShopify

/// A configuration file: an error is the operator's, names a member and shows no secret; providers keep their names.
enum ConfigurationFuzz {
    private static let secret = "s3cret-value"
    private static let variables = ["SECRET": secret, "EMPTY": ""]
    private static let factories: [any ProviderFactory] = [
        OpenIDProviderFactory(), ShopifyProviderFactory(), BoltProviderFactory(), SFCCProviderFactory(),
    ]

    private struct NoTransport: HTTPTransport {
        func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
            throw HTTPTransportError(code: .connectionFailed, phase: .notSent, message: "Nothing is sent here.")
        }
    }

    static func check(_ input: [UInt8]) throws {
        do {
            let configuration = try IdentityConfiguration(json: input, environmentVariables: variables)
            var store = configuration.store
            _ = try store?.optionalSecret("key")
            let registry = try ProviderRegistry(
                configuration,
                factories: factories,
                environment: IdentityEnvironment(transport: NoTransport())
            )
            try require(registry.all.count == configuration.providers.count, "another number of providers")
            for (provider, entry) in zip(registry.all, configuration.providers) {
                try require(provider.descriptor.name.isIdentical(to: entry.name), "another name")
                let found = try registry.provider(named: entry.name)
                try require(found.descriptor.name.isIdentical(to: entry.name), "found another provider")
                try require(!"\(provider.descriptor)".contains(secret), "a secret in a description")
            }
        } catch let error as IdentityError {
            try require(error.kind == .configuration, "not the operator's: \(error.code.rawValue)")
            try require(!error.message.isEmpty && !"\(error)".contains(secret), "a secret in an error")
        }
    }
}
