/// Creates providers of one kind from the configuration.
public protocol ProviderFactory: Sendable {
    /// The kind of provider that this factory creates: the value of `kind` in the provider's section of the configuration.
    var kind: String { get }

    /// Creates a provider from its section; ``ProviderRegistry`` checks afterwards that every member was read.
    ///
    /// - Parameters:
    ///   - name: The provider's name.
    ///   - section: The provider's section of the configuration. A member that the factory does not read is reported as unknown.
    ///   - environment: The environment for the provider.
    /// - Returns: The provider.
    /// - Throws: ``IdentityError`` that names the invalid member.
    func makeProvider(
        named name: String,
        from section: inout ConfigurationSection,
        in environment: IdentityEnvironment
    ) throws -> any IdentityProvider
}
