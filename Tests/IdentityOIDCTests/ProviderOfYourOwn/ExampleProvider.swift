import IdentityKit
import IdentityOIDC

// The code of Documentation/Extending/ProviderOfYourOwn.md.

/// The differences between the example provider and OpenID Connect.
struct ExampleQuirks: OpenIDQuirks {
    var settings: OpenIDQuirkSettings {
        var settings = OpenIDQuirkSettings()
        settings.requiresTokenType = false  // its token responses have no "token_type"
        return settings
    }
}

/// A client at the example provider.
struct ExampleProvider: OpenIDClientProvider, BuyerProfileProviding, LogoutStateSupporting, TokenRevoking {
    let client: OpenIDClient

    init(_ configuration: OpenIDClient.Configuration, environment: IdentityEnvironment) throws {
        client = try OpenIDClient(configuration, quirks: ExampleQuirks(), environment: environment)
    }
}

/// Creates the provider from configuration entries of kind `example`.
struct ExampleProviderFactory: ProviderFactory {
    let kind = "example"

    func makeProvider(
        named name: String,
        from section: inout ConfigurationSection,
        in environment: IdentityEnvironment
    ) throws -> any IdentityProvider {
        var configuration = try OpenIDClient.Configuration(named: name, from: &section)
        configuration.kind = kind
        return try ExampleProvider(configuration, environment: environment)
    }
}
