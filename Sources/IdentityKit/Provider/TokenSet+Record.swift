package import FoundationEssentials

extension TokenSet {
    /// The token set as JSON, for the payload of a stored session.
    package var record: JSONValue {
        var object = JSONObject()
        object.append("buyer", buyer.record)
        object.append("access_token", .string(accessToken.reveal()))
        object.append("token_type", .string(tokenType))
        object.append("refresh_token", refreshToken.map { .string($0.reveal()) })
        object.append("refresh_scopes", .array(refreshTokenScopes.map { .string($0) }))
        object.append("id_token", idToken.map { .string($0.reveal()) })
        object.append("scopes", .array(scopes.map { .string($0) }))
        object.append("issued_at", .date(issuedAt))
        object.append("expires_at", expiresAt.map { .date($0) })
        object.append("authenticated_at", authenticatedAt.map { .date($0) })
        object.append("azp", authorizedParty.map { .string($0) })
        object.append("sid", providerSessionID.map { .string($0) })
        object.append("claims", claims?.record)
        object.append("nonce", nonce.map { .string($0.reveal()) })
        object.append("dpop_key", dpopKey.map { .string($0.reveal()) })
        return .object(object)
    }

    /// Decodes a token set from the payload of a stored session; nil if the value has another form.
    package init?(record value: JSONValue) {
        guard
            let buyer = value["buyer"].flatMap({ Buyer(record: $0) }),
            let accessToken = value["access_token"]?.string, let issuedAt = value["issued_at"]?.date
        else { return nil }
        var claims: IDTokenClaims?
        if let record = value["claims"] {
            claims = IDTokenClaims(record: record)
            guard claims != nil else { return nil }
        }
        self.init(
            buyer: buyer,
            accessToken: Secret(accessToken),
            tokenType: value["token_type"]?.string ?? "Bearer",
            refreshToken: (value["refresh_token"]?.string).map { Secret($0) },
            refreshTokenScopes: value["refresh_scopes"]?.strings ?? [],
            idToken: (value["id_token"]?.string).map { Secret($0) },
            scopes: value["scopes"]?.strings ?? [],
            issuedAt: issuedAt,
            expiresAt: value["expires_at"]?.date,
            authenticatedAt: value["authenticated_at"]?.date,
            authorizedParty: value["azp"]?.string,
            nonce: (value["nonce"]?.string).map { Secret($0) },
            providerSessionID: value["sid"]?.string,
            claims: claims,
            dpopKey: (value["dpop_key"]?.string).map { Secret($0) }
        )
    }
}

extension JSONValue {
    /// A date as milliseconds since 1970.
    ///
    /// A date outside of the years 1970 to 9999 is clamped to them, because only those can be decoded.
    package static func date(_ date: Date) -> JSONValue {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        return .integer(milliseconds > 0 ? Int(min(milliseconds, 253_402_300_799_000)) : 0)
    }

    /// The date of milliseconds since 1970; nil outside of the years 1970 to 9999.
    package var date: Date? {
        guard let milliseconds = number?.integer, (0...253_402_300_799_000).contains(milliseconds) else { return nil }
        return Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    /// The elements of an array of strings; nil for any other value.
    package var strings: [String]? {
        guard let array else { return nil }
        let strings = array.compactMap(\.string)
        return strings.count == array.count ? strings : nil
    }
}
