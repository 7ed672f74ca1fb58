internal import FoundationEssentials
internal import IdentityCrypto

/// A login attempt together with the browser that it belongs to, as a store seals it.
package struct StoredAttempt: Sendable {
    var attempt: LoginAttempt
    /// The tenant of the provider where the login began; the store binds it to the row.
    var tenant: String
    /// The hash of the binding cookie.
    var browserBindingHash: [UInt8]

    /// The store's key for a `state`: a hash, so that the store never holds the state itself in the clear.
    static func key(for state: Secret) throws -> String {
        Base64URL.encode(try Digest.sha256(state.revealBytes()))
    }

    /// The attempt as a store keeps it.
    package func stored() throws -> StoredLoginAttempt {
        var object = JSONObject()
        object["v"] = .integer(1)
        object["provider"] = .string(attempt.provider)
        object["state"] = .string(attempt.state.reveal())
        object["nonce"] = attempt.nonce.map { .string($0.reveal()) }
        object["verifier"] = attempt.codeVerifier.map { .string($0.reveal()) }
        object["issuer"] = attempt.issuer.map { .string($0) }
        object["redirect_uri"] = attempt.redirectURI.map { .string($0) }
        object["scopes"] = .array(attempt.scopes.map { .string($0) })
        object["max_age"] = attempt.maximumAgeSeconds.map { .integer($0) }
        object["acr_values"] = .array(attempt.authenticationContexts.map { .string($0) })
        // Absent where it is what it always was: attempts of older versions read the same.
        object["response_mode"] = attempt.responseMode == .query ? nil : .string(attempt.responseMode.rawValue)
        object["dpop_key"] = attempt.dpopKey.map { .string($0.reveal()) }
        object["return_path"] = attempt.returnPath.map { .string($0) }
        object["created_at"] = .date(attempt.createdAt)
        object["expires_at"] = .date(attempt.expiresAt)
        object["binding"] = .string(Base64URL.encode(browserBindingHash))
        return StoredLoginAttempt(
            key: try Self.key(for: attempt.state),
            tenant: tenant,
            expiresAt: attempt.expiresAt,
            payload: Secret(bytes: JSONValue.object(object).serialized)
        )
    }

    init(attempt: LoginAttempt, tenant: String, browserBindingHash: [UInt8]) {
        self.attempt = attempt
        self.tenant = tenant
        self.browserBindingHash = browserBindingHash
    }

    package init(_ stored: StoredLoginAttempt) throws(IdentityError) {
        guard let value = try? JSONValue(parsing: stored.payload.revealBytes()), value["v"]?.number?.integer == 1,
            let provider = value["provider"]?.string, let state = value["state"]?.string,
            let createdAt = value["created_at"]?.date, let expiresAt = value["expires_at"]?.date,
            let bindingHash = (value["binding"]?.string).flatMap({ Base64URL.decode($0) })
        else {
            throw IdentityError(
                .configuration,
                .storeCorrupt,
                "A stored login attempt cannot be read.",
                hint: "Another version of the app may have written it. Start the login again."
            )
        }
        attempt = LoginAttempt(
            provider: provider,
            state: Secret(state),
            nonce: (value["nonce"]?.string).map { Secret($0) },
            codeVerifier: (value["verifier"]?.string).map { Secret($0) },
            issuer: value["issuer"]?.string,
            redirectURI: value["redirect_uri"]?.string,
            scopes: value["scopes"]?.strings ?? [],
            maximumAgeSeconds: value["max_age"]?.number?.integer,
            authenticationContexts: value["acr_values"]?.strings ?? [],
            responseMode: (value["response_mode"]?.string).flatMap { ResponseMode(rawValue: $0) } ?? .query,
            dpopKey: (value["dpop_key"]?.string).map { Secret($0) },
            returnPath: value["return_path"]?.string,
            createdAt: createdAt,
            expiresAt: expiresAt
        )
        tenant = stored.tenant
        browserBindingHash = bindingHash
    }
}
