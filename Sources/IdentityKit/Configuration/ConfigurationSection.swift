public import IdentityHTTP

/// One object of the configuration file, read member by member; whatever is left unread at the end is an error.
///
/// Every error names the path of the member, for example `providers.shopify.clientID`.
public struct ConfigurationSection: Sendable {
    /// Where the section stands in the file, members joined by dots.
    public let path: String
    private let object: JSONObject
    private let environmentVariables: [String: String]
    private var unread: [String]

    package init(path: String, object: JSONObject, environmentVariables: [String: String]) {
        self.path = path
        self.object = object
        self.environmentVariables = environmentVariables
        unread = object.members.map(\.name)
    }

    private mutating func take(_ name: String) -> JSONValue? {
        unread.removeAll { $0.isIdentical(to: name) }
        return object[name]
    }

    /// The path of one of this section's members.
    public func path(of name: String) -> String {
        path.isEmpty ? name : "\(path).\(name)"
    }

    /// An error about one of this section's members.
    public func error(_ name: String, _ problem: String, hint: String? = nil) -> IdentityError {
        IdentityError(
            .configuration,
            .configurationInvalid,
            "Configuration member \(path(of: name)) \(problem).",
            hint: hint ?? "See Documentation/Operating/Configuration.md."
        )
    }

    /// The names of the members, in the order of the file.
    public var memberNames: [String] { object.members.map(\.name) }

    /// A text that may be missing.
    public mutating func optionalString(_ name: String) throws(IdentityError) -> String? {
        guard let value = take(name) else { return nil }
        guard let text = value.string, !text.isEmpty else { throw error(name, "must be a text that is not empty") }
        guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw error(name, "holds a control character")
        }
        return text
    }

    /// A text that must be there.
    public mutating func string(_ name: String) throws(IdentityError) -> String {
        guard let text = try optionalString(name) else { throw error(name, "is missing") }
        return text
    }

    /// A boolean that may be missing.
    public mutating func bool(_ name: String, default fallback: Bool) throws(IdentityError) -> Bool {
        guard let value = take(name) else { return fallback }
        guard let flag = value.bool else { throw error(name, "must be true or false") }
        return flag
    }

    /// A list of texts that may be missing.
    public mutating func optionalStrings(_ name: String) throws(IdentityError) -> [String]? {
        guard let value = take(name) else { return nil }
        guard let strings = value.strings, !strings.isEmpty, strings.allSatisfy({ !$0.isEmpty }) else {
            throw error(name, "must be a list of texts that are not empty")
        }
        return strings
    }

    /// A whole number within a range that may be missing.
    public mutating func optionalInteger(_ name: String, in range: ClosedRange<Int>) throws(IdentityError) -> Int? {
        guard let value = take(name) else { return nil }
        guard let number = value.number?.integer, range.contains(number) else {
            throw error(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A duration in seconds, fractions allowed, more than nothing and at most an hour.
    public mutating func optionalSeconds(_ name: String) throws(IdentityError) -> Duration? {
        guard let value = take(name) else { return nil }
        guard let seconds = value.number?.double, seconds > 0, seconds <= 3600 else {
            throw error(name, "must be a number of seconds between 0 and 3600")
        }
        return .milliseconds(Int64((seconds * 1000).rounded(.up)))
    }

    /// A URL that may be missing: https, or http to a loopback address where the caller allows it.
    public mutating func optionalURL(_ name: String, allowsLoopbackHTTP: Bool) throws(IdentityError) -> HTTPURL? {
        guard let text = try optionalString(name) else { return nil }
        let url: HTTPURL
        do { url = try HTTPURL(text) } catch { throw self.error(name, "is not an absolute URL") }
        guard url.isSecure || (allowsLoopbackHTTP && url.isLoopback) else {
            throw error(
                name,
                "must be https",
                hint: "For tests on one machine, \"allowsLoopbackHTTP\": true permits http to 127.0.0.1 and [::1]."
            )
        }
        return url
    }

    /// A secret by reference, `{ "env": "NAME" }` or `{ "file": "path" }`, that may be missing.
    public mutating func optionalSecret(_ name: String) throws(IdentityError) -> Secret? {
        guard let value = take(name) else { return nil }
        return try secret(value, name)
    }

    /// A list of references to secrets that may be missing.
    public mutating func optionalSecrets(_ name: String) throws(IdentityError) -> [Secret]? {
        guard let value = take(name) else { return nil }
        guard let values = value.array else {
            throw error(name, "must be a list of references to secrets", hint: "Write [ { \"env\": \"NAME\" }, … ].")
        }
        var secrets: [Secret] = []
        for (index, value) in values.enumerated() { secrets.append(try secret(value, "\(name)[\(index)]")) }
        return secrets
    }

    private func secret(_ value: JSONValue, _ name: String) throws(IdentityError) -> Secret {
        guard let reference = value.object, reference.members.count == 1, let member = reference.members.first,
            let target = member.value.string, !target.isEmpty
        else {
            throw error(
                name,
                "must be a reference to a secret",
                hint:
                    "Write { \"env\": \"NAME\" } or { \"file\": \"path\" }; secrets themselves do not belong in the file."
            )
        }
        switch member.name {
        case "env":
            guard let text = environmentVariables[target], !text.isEmpty else {
                // Who writes the secret itself here by mistake must not find it in a log.
                let isName = target.utf8.allSatisfy {
                    ASCII.isDigit($0) || (0x41...0x5A).contains($0) || $0 == UInt8(ascii: "_")
                }
                throw error(
                    name,
                    isName
                        ? "names the environment variable \(target), which is not set"
                        : "names an environment variable that is not set",
                    hint: isName
                        ? "Set \(target) in the environment of the process."
                        : "\"env\" holds the name of a variable, not the secret. Only names of capitals are repeated here."
                )
            }
            return Secret(text)
        case "file":
            do {
                return try SecretFile.read(target)
            } catch {
                throw self.error(name, "names a file that cannot be used: \(error.reason)", hint: error.hint)
            }
        default:
            throw error(
                "\(name).\(member.name)",
                "is not known",
                hint: "A secret is { \"env\": … } or { \"file\": … }."
            )
        }
    }

    /// A text that may hold a secret and so may be a reference to one, as for ``optionalSecret(_:)``; it may be missing.
    public mutating func optionalSecretOrText(_ name: String) throws(IdentityError) -> Secret? {
        guard object.members.contains(where: { $0.name == name && $0.value.string != nil }) else {
            return try optionalSecret(name)
        }
        return try optionalString(name).map { Secret($0) }
    }

    /// A secret that must be there.
    public mutating func secret(_ name: String) throws(IdentityError) -> Secret {
        guard let secret = try optionalSecret(name) else { throw error(name, "is missing") }
        return secret
    }

    /// A nested section that may be missing.
    public mutating func optionalSection(_ name: String) throws(IdentityError) -> ConfigurationSection? {
        guard let value = take(name) else { return nil }
        guard let object = value.object else { throw error(name, "must be an object") }
        return ConfigurationSection(path: path(of: name), object: object, environmentVariables: environmentVariables)
    }

    /// Ends the reading.
    ///
    /// - Throws: ``IdentityError`` that names the first member nobody asked for.
    public func finish() throws(IdentityError) {
        guard let name = unread.first else { return }
        throw error(name, "is not known", hint: "Check its spelling against Documentation/Operating/Configuration.md.")
    }
}

extension ConfigurationSection: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The path and the names of the members; the environment variables at hand are never shown.
    public var description: String { "ConfigurationSection(\(path): \(memberNames.joined(separator: ", ")))" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
