internal import FoundationEssentials
internal import IdentityCrypto

extension LoginAttempt {
    /// The key under which the store keeps the login attempt with this `state`: a hash, because the key is stored unencrypted.
    static func key(for state: Secret) throws -> String {
        Base64URL.encode(try Digest.sha256(state.bytes))
    }

    /// The id of the login with this `state`, for the name of the binding cookie; the id does not reveal the `state`.
    static func id(for state: Secret) throws -> String {
        Base64URL.encode(Array(try Digest.sha256(Array("cookie.".utf8) + state.revealBytes()).prefix(6)))
    }

    package func stored() throws -> StoredLoginAttempt {
        var object = JSONObject()
        object.append("v", .integer(1))
        object.append("provider", .string(provider))
        object.append("state", .string(state.reveal()))
        object.append("nonce", nonce.map { .string($0.reveal()) })
        object.append("verifier", codeVerifier.map { .string($0.reveal()) })
        object.append("issuer", issuer.map { .string($0) })
        object.append("redirect_uri", redirectURI.map { .string($0) })
        object.append("scopes", .array(scopes.map { .string($0) }))
        object.append("max_age", maximumAgeSeconds.map { .integer($0) })
        object.append("acr_values", .array(authenticationContexts.map { .string($0) }))
        object.append("response_mode", .string(responseMode.rawValue))
        object.append("dpop_key", dpopKey.map { .string($0.reveal()) })
        object.append("return_path", returnPath.map { .string($0) })
        object.append("created_at", .date(createdAt))
        object.append("expires_at", .date(expiresAt))
        object.append("step_up", stepUp?.record)
        object.append("binding", .string(Base64URL.encode(browserBindingHash)))
        object.append(
            "posted",
            postedCallback.map { .array($0.map { .array([.string($0.name), .string($0.value.reveal())]) }) }
        )
        return StoredLoginAttempt(
            key: try Self.key(for: state),
            tenant: tenant,
            expiresAt: expiresAt,
            payload: Secret(bytes: JSONValue.object(object).serialized)
        )
    }

    package init(_ stored: StoredLoginAttempt) throws(IdentityError) {
        guard let value = try? JSONValue(parsing: stored.payload.revealBytes()), value["v"]?.number?.integer == 1,
            let provider = value["provider"]?.string, let state = value["state"]?.string,
            let createdAt = value["created_at"]?.date, let expiresAt = value["expires_at"]?.date,
            let bindingHash = (value["binding"]?.string).flatMap({ Base64URL.decode($0) }),
            let stepUp = Self.stepUp(value["step_up"])
        else {
            throw IdentityError(
                storeCorrupt: "A stored login attempt could not be decoded.",
                hint: "Start the login again. If several versions of the app use the store, run only one version."
            )
        }
        self.init(
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
        postedCallback = value["posted"]?.array?.compactMap { field in
            guard let pair = field.strings, pair.count == 2 else { return nil }
            return (name: pair[0], value: Secret(pair[1]))
        }
        self.stepUp = stepUp
    }

    /// Decodes the step-up of a stored login attempt.
    ///
    /// - Returns: `.some(nil)` for an ordinary login, nil for a step-up that cannot be decoded: it must not count as an ordinary login.
    private static func stepUp(_ record: JSONValue?) -> PendingStepUp?? {
        guard let record else { return .some(nil) }
        return PendingStepUp(record: record).map { .some($0) }
    }
}
