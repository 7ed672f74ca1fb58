/// Creates providers of one kind from the configuration.
public protocol ProviderFactory: Sendable {
    /// The kind of provider that this factory creates: the value of `kind` in the provider's section of the configuration.
    var kind: String { get }

    /// Creates a provider from its section of the configuration.
    ///
    /// A member of `section` that the factory does not read causes an error of ``ProviderRegistry``.
    ///
    /// - Throws: ``IdentityError`` that names the invalid member.
    func makeProvider(
        named name: String,
        from section: inout ConfigurationSection,
        in environment: IdentityEnvironment
    ) throws -> any IdentityProvider
}
