import IdentityBolt
import IdentityKit
import IdentityOIDC
import IdentityShopify
import TestDoubles

/// Checks that errors of a configuration file are configuration errors without secrets, and that providers keep their names.
enum ConfigurationFuzz {
    private static let secret = "s3cret-value"
    private static let variables = ["SECRET": secret, "EMPTY": ""]
    private static let factories: [any ProviderFactory] = [
        OpenIDProviderFactory(), ShopifyProviderFactory(), BoltProviderFactory(), SFCCProviderFactory(),
    ]

    static func check(_ input: [UInt8]) throws {
        do {
            let configuration = try IdentityConfiguration(json: input, environmentVariables: variables)
            var store = configuration.store
            _ = try store?.optionalSecret("key")
            let registry = try ProviderRegistry(
                configuration,
                factories: factories,
                environment: IdentityEnvironment(transport: NoNetwork())
            )
            try require(registry.all.count == configuration.providers.count, "the number of providers differs")
            for (provider, entry) in zip(registry.all, configuration.providers) {
                try require(provider.descriptor.name.isIdentical(to: entry.name), "the name differs")
                let found = try registry.provider(named: entry.name)
                try require(found.descriptor.name.isIdentical(to: entry.name), "found another provider")
                try require(!"\(provider.descriptor)".contains(secret), "a secret in a description")
            }
        } catch let error as IdentityError {
            try require(error.kind == .configuration, "not a configuration error: \(error.code.rawValue)")
            try require(!error.message.isEmpty && !"\(error)".contains(secret), "a secret in an error")
        }
    }
}
