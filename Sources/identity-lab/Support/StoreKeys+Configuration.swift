internal import IdentityKit
internal import IdentityStoreKit

extension StoreKeys {
    /// The keys that a configuration's `store` names; the active one may stand in `IDENTITY_STORE_KEY` instead.
    init(_ section: inout ConfigurationSection?) throws {
        let configured = try section?.optionalSecret("key")
        let readOnly = try section?.optionalSecrets("readOnlyKeys") ?? []
        let variable = IdentityConfiguration.processEnvironment["IDENTITY_STORE_KEY"]
        guard let key = configured ?? variable.flatMap({ $0.isEmpty ? nil : Secret($0) }) else {
            throw IdentityError(
                .configuration,
                .configurationInvalid,
                "Configuration member store.key is missing, and IDENTITY_STORE_KEY is not set.",
                hint: "Make a key with `openssl rand -hex 32`."
            )
        }
        let active = try Self.key(key, configured == nil ? "IDENTITY_STORE_KEY" : "store.key")
        self.init(
            active: active,
            readOnly: try readOnly.enumerated().map { try Self.key($1, "store.readOnlyKeys[\($0)]") }
        )
    }

    /// A key, or an error that names where it stands.
    private static func key(_ digits: Secret, _ place: String) throws(IdentityError) -> StoreKey {
        do {
            return try StoreKey(hexadecimal: digits)
        } catch {
            throw IdentityError(error.kind, error.code, "\(place): \(error.message)", hint: error.hint, cause: error)
        }
    }
}
