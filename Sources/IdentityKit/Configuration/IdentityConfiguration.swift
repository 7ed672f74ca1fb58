internal import FoundationEssentials

/// The content of an app's configuration file; an unknown member is an error.
///
/// The code that reads a section, for example a ``ProviderFactory``, checks the section's members.
///
/// ```swift
/// let configuration = try IdentityConfiguration(contentsOf: "identity.json")
/// let providers = try ProviderRegistry(configuration, factories: [ShopifyProviderFactory()], environment: environment)
/// ```
public struct IdentityConfiguration: Sendable {
    /// The sections under `providers`, by name, in the order of the file.
    public let providers: [(name: String, section: ConfigurationSection)]
    /// The section `store`; nil if it is missing.
    public let store: ConfigurationSection?
    /// The section `storefront`; nil if it is missing.
    public let storefront: ConfigurationSection?
    /// The section `customerAccount`; nil if it is missing.
    public let customerAccount: ConfigurationSection?

    /// The environment variables of this process.
    public static var processEnvironment: [String: String] { ProcessInfo.processInfo.environment }

    /// Reads a configuration from its JSON text.
    ///
    /// - Parameters:
    ///   - json: The text in UTF-8, at most 1 MiB.
    ///   - environmentVariables: The variables that `{ "env": … }` refers to; by default this process's variables.
    /// - Throws: ``IdentityError`` of kind ``IdentityError/Kind/configuration``.
    public init(
        json: [UInt8],
        environmentVariables: [String: String] = IdentityConfiguration.processEnvironment
    ) throws(IdentityError) {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: json)
        } catch {
            throw IdentityError(
                configuration:
                    "The configuration is not valid JSON: \(error.reason), \(Self.place(of: error.offset, in: json)).",
                hint: """
                    Correct the text at this place. The text must have at most 1 MiB, and no duplicate member names, comments, trailing \
                    commas or byte order mark.
                    """
            )
        }
        guard let object = value.object else {
            throw IdentityError(
                configuration: "The configuration must be a JSON object.",
                hint: "Write { \"providers\": { … } }, as Documentation/Operating/Configuration.md shows."
            )
        }
        var root = ConfigurationSection(path: "", object: object, environmentVariables: environmentVariables)
        var found: [(name: String, section: ConfigurationSection)] = []
        if var section = try root.optionalSection("providers") {
            for name in section.memberNames {
                guard !name.isEmpty else { throw root.error("providers", "contains a provider with an empty name") }
                guard let provider = try section.optionalSection(name) else { continue }
                found.append((name, provider))
            }
        }
        providers = found
        store = try root.optionalSection("store")
        storefront = try root.optionalSection("storefront")
        customerAccount = try root.optionalSection("customerAccount")
        try root.finish()
    }

    /// The line and the column of a byte, both counted from 1.
    private static func place(of offset: Int, in json: [UInt8]) -> String {
        let lines = json.prefix(offset).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return "line \(lines.count), column \((lines.last?.count ?? 0) + 1)"
    }

    /// Reads a configuration file.
    ///
    /// - Throws: ``IdentityError`` of kind ``IdentityError/Kind/configuration``.
    public init(
        contentsOf path: String,
        environmentVariables: [String: String] = IdentityConfiguration.processEnvironment
    ) throws(IdentityError) {
        let contents: Data
        do { contents = try Data(contentsOf: URL(filePath: path)) } catch {
            throw IdentityError(
                configuration: "The configuration file \(path) could not be read.",
                hint: "Check the path and the file's permissions.",
                cause: (error as? CocoaError)?.underlying ?? error
            )
        }
        try self.init(json: Array(contents), environmentVariables: environmentVariables)
    }
}
