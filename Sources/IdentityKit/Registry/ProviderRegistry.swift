/// Makes providers of one kind from the configuration.
public protocol ProviderFactory: Sendable {
    /// The value of `kind` that this factory answers to.
    var kind: String { get }

    /// Makes a provider from its section; the caller checks afterwards that every member was read.
    func makeProvider(
        named name: String,
        from section: inout ConfigurationSection,
        in environment: IdentityEnvironment
    ) throws -> any IdentityProvider
}

/// The providers that an app can choose from at run time, by name.
public struct ProviderRegistry: Sendable {
    private let providers: [any IdentityProvider]

    /// A registry of the given providers.
    ///
    /// - Throws: ``IdentityError`` when two have the same name.
    public init(_ providers: [any IdentityProvider]) throws(IdentityError) {
        var names: Set<[UInt8]> = []
        for provider in providers {
            guard names.insert(Array(provider.descriptor.name.utf8)).inserted else {
                throw IdentityError(
                    .configuration,
                    .configurationInvalid,
                    "Two providers have the name \(provider.descriptor.name).",
                    hint: "Give each its own name."
                )
            }
        }
        self.providers = providers
    }

    /// Providers whose names are known to differ.
    init(unique providers: [any IdentityProvider]) {
        self.providers = providers
    }

    /// The providers of a configuration.
    ///
    /// - Parameters:
    ///   - configuration: What was read from the file.
    ///   - factories: One for each kind that the app supports.
    ///   - environment: Handed on to the providers.
    /// - Throws: ``IdentityError`` that names the member at fault.
    public init(
        _ configuration: IdentityConfiguration,
        factories: [any ProviderFactory],
        environment: IdentityEnvironment
    ) throws {
        try self.init(
            configuration.providers.map { entry in
                var section = entry.section
                let kind = try section.string("kind")
                guard let factory = factories.first(where: { $0.kind.isIdentical(to: kind) }) else {
                    let known = factories.map(\.kind).joined(separator: ", ")
                    throw section.error("kind", "names no kind of provider", hint: "Known kinds: \(known).")
                }
                let provider = try factory.makeProvider(named: entry.name, from: &section, in: environment)
                try section.finish()
                return provider
            }
        )
    }

    /// The names of the providers, in order.
    public var names: [String] { providers.map(\.descriptor.name) }

    /// All providers, in order.
    public var all: [any IdentityProvider] { providers }

    /// The name if a provider has it, else empty: the number of names in events must stay bounded.
    func knownName(_ name: String) -> String {
        providers.contains { $0.descriptor.name.isIdentical(to: name) } ? name : ""
    }

    /// The provider with a name, compared as bytes.
    ///
    /// - Throws: ``IdentityError`` with code ``IdentityError/Code/providerUnknown``.
    public func provider(named name: String) throws(IdentityError) -> any IdentityProvider {
        guard let provider = providers.first(where: { $0.descriptor.name.isIdentical(to: name) }) else {
            throw IdentityError(
                .configuration,
                .providerUnknown,
                "No provider has the name that was asked for.",
                hint: "Configured are: \(names.joined(separator: ", "))."
            )
        }
        return provider
    }
}
