internal import FoundationEssentials
internal import IdentityKit

/// Keys that are named, not given: environment variables and files, each of 64 hexadecimal digits.
///
/// ```swift
/// let keys = ReferencedKeys(.environment("IDENTITY_STORE_KEY"), readOnly: [.file("/etc/shop/old.key")])
/// ```
///
/// A file must be its owner's alone: links, wider rights than 0600 and other owners than this process or root are refused. A
/// key from a file is wiped from memory when the store goes; the environment of a process cannot be wiped.
public struct ReferencedKeys: StoreKeySource {
    /// Where one key stands.
    public enum Reference: Sendable {
        /// In an environment variable of this name.
        case environment(String)
        /// In a file at this path, on one line.
        case file(String)
    }

    private let active: Reference
    private let readOnly: [Reference]
    private let variables: @Sendable (String) -> String?

    /// Names the keys.
    ///
    /// - Parameters:
    ///   - active: The key that seals.
    ///   - readOnly: The keys that only open; none by default.
    public init(_ active: Reference, readOnly: [Reference] = []) {
        self.init(active, readOnly: readOnly) { ProcessInfo.processInfo.environment[$0] }
    }

    /// Names the keys, and where environment variables are looked up.
    package init(
        _ active: Reference,
        readOnly: [Reference],
        variables: @escaping @Sendable (String) -> String?
    ) {
        self.active = active
        self.readOnly = readOnly
        self.variables = variables
    }

    /// Reads the keys.
    ///
    /// - Throws: ``IdentityError`` of kind ``IdentityError/Kind/configuration`` that names the variable or the file at fault.
    public func keys() async throws -> StoreKeys {
        StoreKeys(active: try key(active), readOnly: try readOnly.map(key))
    }

    private func key(_ reference: Reference) throws -> StoreKey {
        switch reference {
        case .environment(let name):
            guard let text = variables(name), !text.isEmpty else {
                throw Self.problem("the environment variable \(name) is not set", "Set it to 64 hexadecimal digits.")
            }
            return try key(Secret(text), in: "the environment variable \(name)")
        case .file(let path):
            let secret: Secret
            do {
                secret = try SecretFile.read(path)
            } catch {
                throw Self.problem("of the file \(path): \(error.reason)", error.hint)
            }
            return try key(secret, in: "the file \(path)")
        }
    }

    private func key(_ digits: Secret, in place: String) throws(IdentityError) -> StoreKey {
        do {
            return try StoreKey(hexadecimal: digits)
        } catch {
            throw IdentityError(
                error.kind,
                error.code,
                "\(error.message) It stands in \(place).",
                hint: error.hint,
                cause: error
            )
        }
    }

    private static func problem(_ reason: String, _ hint: String) -> IdentityError {
        IdentityError(.configuration, .configurationInvalid, "A store key cannot be read: \(reason).", hint: hint)
    }
}
