public import IdentityHTTP

/// One object of the configuration file, read member by member.
///
/// Every error names the path of the member, for example `providers.shopify.clientID`. After you have read all members, ``finish()``
/// throws for a member that was not read, such as a misspelled name.
///
/// ```swift
/// let clientID = try section.string("clientID")
/// let secret = try section.optionalSecret("clientSecret")
/// try section.finish()
/// ```
public struct ConfigurationSection: Sendable {
    package static let pageReference = "See Documentation/Operating/Configuration.md."

    /// The section's path in the file, member names joined by dots; empty for the whole file.
    public let path: String
    private let object: JSONObject
    let environmentVariables: [String: String]
    private var readNames: [String] = []

    package init(path: String, object: JSONObject, environmentVariables: [String: String]) {
        self.path = path
        self.object = object
        self.environmentVariables = environmentVariables
    }

    private mutating func take(_ name: String) -> JSONValue? {
        readNames.append(name)
        return object[name]
    }

    /// The path of one of this section's members.
    public func path(of name: String) -> String {
        path.isEmpty ? name : "\(path).\(name)"
    }

    /// Creates an error about one of this section's members; `problem` completes the sentence "Configuration member X …".
    ///
    /// Without `hint`, the error refers to the page about this package's members: pass a hint for members of your own.
    public func error(_ name: String, _ problem: String, hint: String? = nil) -> IdentityError {
        IdentityError(
            configuration: "Configuration member \(path(of: name)) \(problem).",
            hint: hint ?? Self.pageReference
        )
    }

    /// The names of the members, in the order of the file.
    public var memberNames: [String] { object.members.map(\.name) }

    /// Reads an optional string, which must not be empty or contain control characters; returns nil if the member is missing.
    public mutating func optionalString(_ name: String) throws(IdentityError) -> String? {
        guard let value = take(name) else { return nil }
        guard let text = value.string, !text.isEmpty else { throw error(name, "must be a non-empty string") }
        guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw error(name, "contains a control character")
        }
        return text
    }

    /// Reads a required string.
    public mutating func string(_ name: String) throws(IdentityError) -> String {
        guard let text = try optionalString(name) else { throw error(name, "is missing") }
        return text
    }

    package mutating func optionalChoice<Choice: CaseIterable & RawRepresentable<String>>(
        _ name: String
    ) throws(IdentityError) -> Choice? {
        guard let text = try optionalString(name) else { return nil }
        guard let choice = Choice.allCases.first(where: { $0.rawValue.isIdentical(to: text) }) else {
            throw error(name, "must be one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }

    /// Reads an optional boolean; returns the default if the member is missing.
    public mutating func bool(_ name: String, default fallback: Bool) throws(IdentityError) -> Bool {
        guard let value = take(name) else { return fallback }
        guard let flag = value.bool else { throw error(name, "must be true or false") }
        return flag
    }

    /// Reads an optional list of one or more non-empty strings; returns nil if the member is missing.
    public mutating func optionalStrings(_ name: String) throws(IdentityError) -> [String]? {
        guard let value = take(name) else { return nil }
        guard let strings = value.strings, !strings.isEmpty, strings.allSatisfy({ !$0.isEmpty }) else {
            throw error(name, "must be a list of one or more non-empty strings")
        }
        return strings
    }

    /// Reads an optional integer, which must be in the range; returns nil if the member is missing.
    public mutating func optionalInteger(_ name: String, in range: ClosedRange<Int>) throws(IdentityError) -> Int? {
        guard let value = take(name) else { return nil }
        guard let number = value.number?.integer, range.contains(number) else {
            throw error(name, "must be an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Reads an optional duration in seconds, greater than 0 and at most 3600; fractions are allowed.
    public mutating func optionalSeconds(_ name: String) throws(IdentityError) -> Duration? {
        guard let value = take(name) else { return nil }
        guard let seconds = value.number?.double, seconds > 0, seconds <= 3600 else {
            throw error(name, "must be a number of seconds greater than 0 and at most 3600")
        }
        return .milliseconds(Int64((seconds * 1000).rounded(.up)))
    }

    /// Reads an optional URL: https, or http to a loopback address if `allowsLoopbackHTTP` is true.
    public mutating func optionalURL(_ name: String, allowsLoopbackHTTP: Bool) throws(IdentityError) -> HTTPURL? {
        guard let text = try optionalString(name) else { return nil }
        let url: HTTPURL
        do { url = try HTTPURL(text) } catch {
            throw self.error(name, "is not a usable URL", hint: "Write an absolute https URL. \(error.message)")
        }
        guard url.isSecure(orLoopback: allowsLoopbackHTTP) else {
            throw error(
                name,
                "must be an https URL",
                hint: allowsLoopbackHTTP
                    ? "Write an https URL. Plain http is permitted only to a loopback address such as 127.0.0.1 or [::1]."
                    : "Write an https URL. For tests on one machine, \"allowsLoopbackHTTP\": true permits http to loopback addresses."
            )
        }
        return url
    }

    /// Reads an optional secret by reference: `{ "env": "NAME" }` or `{ "file": "path" }`.
    public mutating func optionalSecret(_ name: String) throws(IdentityError) -> Secret? {
        guard let value = take(name) else { return nil }
        return try secret(value, name)
    }

    /// Reads an optional list of references to secrets.
    public mutating func optionalSecrets(_ name: String) throws(IdentityError) -> [Secret]? {
        guard let value = take(name) else { return nil }
        guard let values = value.array else {
            throw error(name, "must be a list of references to secrets", hint: "Write [ { \"env\": \"NAME\" }, … ].")
        }
        var secrets: [Secret] = []
        for (index, value) in values.enumerated() { secrets.append(try secret(value, "\(name)[\(index)]")) }
        return secrets
    }

    /// Reads an optional value that may be secret: a string, or a reference as for ``optionalSecret(_:)``.
    public mutating func optionalSecretOrText(_ name: String) throws(IdentityError) -> Secret? {
        guard object[name]?.string != nil else { return try optionalSecret(name) }
        return try optionalString(name).map { Secret($0) }
    }

    /// Reads a required secret.
    public mutating func secret(_ name: String) throws(IdentityError) -> Secret {
        guard let secret = try optionalSecret(name) else { throw error(name, "is missing") }
        return secret
    }

    /// Reads an optional nested section.
    public mutating func optionalSection(_ name: String) throws(IdentityError) -> ConfigurationSection? {
        guard let value = take(name) else { return nil }
        guard let object = value.object else { throw error(name, "must be an object") }
        return ConfigurationSection(path: path(of: name), object: object, environmentVariables: environmentVariables)
    }

    /// Checks that all members of the section are known.
    ///
    /// Call this method before you read the members. Otherwise, if the name of a required member is misspelled, the error says that the
    /// member is missing.
    ///
    /// - Throws: ``IdentityError`` that names the first unknown member, and if possible a known member with a similar name.
    public func check(members known: [String]) throws(IdentityError) {
        guard let name = memberNames.first(where: { name in !known.contains { $0.isIdentical(to: name) } }) else {
            return
        }
        let suggestion = Spelling.nearest(to: name, among: known).map { "; did you mean \($0)?" }
        throw IdentityError(
            configuration: "Configuration member \(path(of: name)) is not known\(suggestion ?? ".")",
            hint: """
                Correct the name of the member, or remove the member. Known members: \(known.joined(separator: ", ")). \
                \(Self.pageReference)
                """
        )
    }

    /// Checks that every member of the section was read.
    ///
    /// - Throws: ``IdentityError`` that names the first member that was not read, and if possible a known member with a similar name.
    public func finish() throws(IdentityError) { try check(members: readNames) }
}

extension ConfigurationSection: Redacted {
    /// The path and the names of the members, without values and environment variables.
    public var description: String { "ConfigurationSection(\(path): \(memberNames.joined(separator: ", ")))" }
}
