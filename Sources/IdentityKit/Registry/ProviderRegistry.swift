/// The providers of an app, which the app finds by their names.
///
/// ```swift
/// let providers = try ProviderRegistry(
///     IdentityConfiguration(contentsOf: "identity.json"),
///     factories: [ShopifyProviderFactory(), OpenIDProviderFactory()],
///     environment: environment
/// )
/// let provider = try providers.provider(named: "shopify")
/// ```
public struct ProviderRegistry: Sendable {
    private let providers: [any IdentityProvider]
    private let byName: [ByteKey: any IdentityProvider]

    /// Creates a registry of the given providers.
    ///
    /// - Throws: ``IdentityError`` when two providers have the same name, or when a provider has the name that sessions of guests use
    ///   (``SessionManager/guestProvider``).
    public init(_ providers: [any IdentityProvider]) throws(IdentityError) {
        var names: Set<ByteKey> = []
        for provider in providers {
            guard !provider.descriptor.name.isIdentical(to: SessionManager.guestProvider) else {
                throw IdentityError(
                    configuration:
                        "A provider has the name \(SessionManager.guestProvider), which sessions of guests use.",
                    hint: "Give the provider another name."
                )
            }
            guard names.insert(ByteKey(provider.descriptor.name)).inserted else {
                throw IdentityError(
                    configuration: "Two providers have the name \(provider.descriptor.name).",
                    hint: "Give each provider a different name."
                )
            }
        }
        self.init(unique: providers)
    }

    init(unique providers: [any IdentityProvider]) {
        self.providers = providers
        byName = Dictionary(providers.map { (ByteKey($0.descriptor.name), $0) }) { first, _ in first }
    }

    /// Creates the providers of a configuration, with one factory for each kind of provider that the app supports.
    ///
    /// - Throws: ``IdentityError`` that names the invalid member or the provider.
    public init(
        _ configuration: IdentityConfiguration,
        factories: [any ProviderFactory],
        environment: IdentityEnvironment
    ) throws {
        try self.init(
            configuration.providers.map {
                try Self.makeProvider(named: $0.name, from: $0.section, factories: factories, environment: environment)
            }
        )
    }

    package static func makeProvider(
        named name: String,
        from section: ConfigurationSection,
        factories: [any ProviderFactory],
        environment: IdentityEnvironment
    ) throws -> any IdentityProvider {
        var section = section
        let kind = try section.string("kind")
        guard let factory = factories.first(where: { $0.kind.isIdentical(to: kind) }) else {
            let known = factories.isEmpty ? "none" : factories.map(\.kind).joined(separator: ", ")
            throw section.error(
                "kind",
                "names an unknown kind of provider",
                hint: """
                    Set \(section.path(of: "kind")) to a kind that this program supports (\(known)). To support another kind, pass its \
                    ProviderFactory to ProviderRegistry in the program.
                    """
            )
        }
        do {
            let provider = try factory.makeProvider(named: name, from: &section, in: environment)
            try section.finish()
            return provider
        } catch let error as IdentityError {
            throw naming(section.path, in: error)
        }
    }

    /// Adds the provider's path in the configuration to an error of kind `configuration`, if the message does not contain it.
    private static func naming(_ path: String, in error: IdentityError) -> IdentityError {
        guard error.kind == .configuration, !error.message.contains(path) else { return error }
        return error.recast(message: "Configuration of \(path): \(error.message)")
    }

    /// The names of the providers, in order.
    public var names: [String] { providers.map(\.descriptor.name) }

    /// All providers, in order.
    public var all: [any IdentityProvider] { providers }

    /// The name, if a registered provider has it; otherwise an empty string.
    ///
    /// The name in an event can become the label of a metric, so a request with an invented name must not add a label.
    func knownName(_ name: String) -> String {
        find(name) == nil ? "" : name
    }

    /// Finds the provider with a name, compared as bytes.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/providerUnknown`` and kind ``IdentityError/Kind/rejected``: respond with
    ///   status 404 if the name comes from the path of a request.
    public func provider(named name: String) throws(IdentityError) -> any IdentityProvider {
        guard let provider = find(name) else {
            throw IdentityError(
                .rejected,
                .providerUnknown,
                "No available provider has the requested name.",
                hint: names.isEmpty
                    ? "Configure a provider. If the SessionManager has a tenant, configure a provider of this tenant."
                    : "Use the name of an available provider: \(names.joined(separator: ", "))."
            )
        }
        return provider
    }

    /// Finds the provider of a stored session or login attempt by name and tenant.
    ///
    /// Shops that share a store may use the same provider names. A shop's token must not be sent to another shop's provider, so the tenants
    /// must be equal.
    func provider(ofStored name: String, tenant: String) throws(IdentityError) -> any IdentityProvider {
        guard let provider = find(name), provider.descriptor.tenant.isIdentical(to: tenant) else {
            throw IdentityError(
                .configuration,
                .providerUnknown,
                "The provider \"\(name)\" of a stored session or login is not configured in this process, or has another tenant.",
                hint: """
                    In every process, configure the provider "\(name)" with the tenant of the stored session or login. Keep this \
                    configuration until the provider's sessions have ended.
                    """
            )
        }
        return provider
    }

    private func find(_ name: String) -> (any IdentityProvider)? {
        byName[ByteKey(name)]
    }
}
