internal import FoundationEssentials

/// What a stored session's payload holds: the tokens and how things stand with them.
package struct SessionPayload: Sendable {
    var tokens: TokenSet
    /// Set when the provider has said that the session is over.
    var needsLogin = false
    /// Set while a renewal is under way; found set by the next one, the last answer was lost.
    var renewalStartedAt: Date?

    /// The time of a renewal that has ended without an answer: set, but so long ago that nobody waits for it.
    static let renewalGivenUp = Date(timeIntervalSince1970: 0)

    var secret: Secret {
        var object = JSONObject()
        object["v"] = .integer(1)
        object["needs_login"] = .bool(needsLogin)
        object["renewal"] = renewalStartedAt.map { .date($0) }
        object["tokens"] = .string(String(decoding: tokens.record, as: UTF8.self))
        return Secret(bytes: JSONValue.object(object).serialized)
    }

    init(tokens: TokenSet) {
        self.tokens = tokens
    }

    package init(_ stored: StoredSession) throws(IdentityError) {
        guard let value = try? JSONValue(parsing: stored.payload.revealBytes()), value["v"]?.number?.integer == 1,
            let record = value["tokens"]?.string, let tokens = TokenSet(record: Array(record.utf8))
        else {
            throw IdentityError(
                .configuration,
                .storeCorrupt,
                "A stored session cannot be read.",
                hint: "It was kept as it is. A newer version of the app may have written it."
            )
        }
        self.tokens = tokens
        needsLogin = value["needs_login"]?.bool ?? false
        renewalStartedAt = value["renewal"]?.date
    }
}

extension Session {
    init(_ stored: StoredSession, _ payload: SessionPayload) {
        self.init(
            id: stored.id,
            provider: stored.provider,
            tenant: stored.tenant,
            buyer: payload.tokens.buyer,
            scopes: payload.tokens.scopes,
            createdAt: stored.createdAt,
            expiresAt: payload.tokens.expiresAt,
            isRefreshable: payload.tokens.refreshToken != nil,
            needsLogin: payload.needsLogin
        )
    }
}
