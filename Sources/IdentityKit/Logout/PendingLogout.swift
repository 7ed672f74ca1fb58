internal import FoundationEssentials
internal import IdentityCrypto

/// A logout whose browser has not returned from the provider's logout page yet.
struct PendingLogout: Sendable {
    var provider: String
    var tenant: String
    var browserBindingHash: [UInt8]
    var returnPath: String?
    var expiresAt: Date

    static let hint = """
        Show the buyer a page that needs no session. A logout ends the session in this app before the browser goes to the provider.
        """

    /// The prefix distinguishes this key from the keys of login attempts, which contain no dot.
    static func key(for state: Secret) throws -> String {
        "logout." + (try LoginAttempt.key(for: state))
    }

    func stored(under state: Secret) throws -> StoredLoginAttempt {
        var object = JSONObject()
        object.append("v", .integer(1))
        object.append("provider", .string(provider))
        object.append("return_path", returnPath.map { .string($0) })
        object.append("expires_at", .date(expiresAt))
        object.append("binding", .string(Base64URL.encode(browserBindingHash)))
        return StoredLoginAttempt(
            key: try Self.key(for: state),
            tenant: tenant,
            expiresAt: expiresAt,
            payload: Secret(bytes: JSONValue.object(object).serialized)
        )
    }
}

extension PendingLogout {
    init(_ stored: StoredLoginAttempt) throws(IdentityError) {
        guard let value = try? JSONValue(parsing: stored.payload.revealBytes()), value["v"]?.number?.integer == 1,
            let provider = value["provider"]?.string, let expiresAt = value["expires_at"]?.date,
            let hash = (value["binding"]?.string).flatMap({ Base64URL.decode($0) })
        else {
            throw IdentityError(
                storeCorrupt: "A stored logout could not be decoded.",
                hint: Self.hint + " If several versions of the app use the store, run only one version."
            )
        }
        self.init(
            provider: provider,
            tenant: stored.tenant,
            browserBindingHash: hash,
            returnPath: value["return_path"]?.string,
            expiresAt: expiresAt
        )
    }
}
