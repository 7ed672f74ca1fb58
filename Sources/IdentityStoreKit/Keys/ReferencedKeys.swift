internal import FoundationEssentials
internal import IdentityKit

/// Reads the keys of a store from environment variables and files; each key has 64 hexadecimal digits.
///
/// ```swift
/// let keys = ReferencedKeys(.environment("IDENTITY_STORE_KEY"), readOnly: [.file("/etc/shop/old.key")])
/// ```
///
/// A key file must have mode 0600 or stricter and belong to the process's user or to root. Symbolic links are refused. A key from a file
/// is wiped from memory when the store is released. The environment of a process cannot be wiped.
public struct ReferencedKeys: StoreKeySource {
    /// The location of one key.
    public enum Reference: Sendable {
        /// In an environment variable of this name.
        case environment(String)
        /// In a file at this path, on one line.
        case file(String)
    }

    private let active: Reference
    private let readOnly: [Reference]
    private let variables: @Sendable (String) -> String?

    /// Creates a source from the locations of the keys.
    ///
    /// - Parameters:
    ///   - active: The key that seals (encrypts) new records.
    ///   - readOnly: The keys that only open (decrypt) records, by default an empty list.
    public init(_ active: Reference, readOnly: [Reference] = []) {
        self.init(active, readOnly: readOnly) { ProcessInfo.processInfo.environment[$0] }
    }

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
    /// - Throws: `IdentityError` of kind `configuration` that names the wrong variable or file, or of kind `retryLater` when OpenSSL
    ///   fails.
    public func keys() async throws -> StoreKeys {
        StoreKeys(active: try key(active), readOnly: try readOnly.map(key))
    }

    private func key(_ reference: Reference) throws -> StoreKey {
        switch reference {
        case .environment(let name):
            guard let text = variables(name), !text.isEmpty else {
                throw Self.problem(
                    "the environment variable \(name) is not set, or is empty",
                    "Set \(name) to the 64 hexadecimal digits of the key."
                )
            }
            return try StoreKey(hexadecimal: Secret(text), from: "the environment variable \(name)")
        case .file(let path):
            let secret: Secret
            do {
                secret = try SecretFile.read(path)
            } catch {
                throw Self.problem("the file \(path) cannot be used, because \(error.reason)", error.hint)
            }
            return try StoreKey(hexadecimal: secret, from: "the file \(path)")
        }
    }

    private static func problem(_ reason: String, _ hint: String) -> IdentityError {
        IdentityError(configuration: "A store key cannot be read: \(reason).", hint: hint)
    }
}
