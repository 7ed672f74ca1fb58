internal import FoundationEssentials
internal import IdentityCrypto

/// What a stored session's payload holds: the tokens and how things stand with them.
package struct SessionPayload: Sendable {
    var tokens: TokenSet
    /// Set when only a new login helps, with the reason.
    var end: SessionEndReason?
    /// Set while a renewal is under way; found set by the next one, the last answer was lost.
    var intent: RenewalIntent?
    /// An answer to that renewal that has not been judged to the end.
    var answer: RefreshAnswer?
    /// Of new tokens that wait outside the store: which ones they replace (``fingerprint(of:)``).
    var replaces: String?
    /// How many bytes to keep free for the answer, so that a claim that fits means an answer that fits.
    var reserve = 0

    var needsLogin: Bool { end != nil }

    init(tokens: TokenSet) {
        self.tokens = tokens
    }

    /// The payload to be sealed.
    var secret: Secret {
        var object = JSONObject()
        // An older program must not renew over an answer that it does not know of.
        object["v"] = .integer(answer == nil ? 1 : 2)
        object["needs_login"] = .bool(needsLogin)
        object["end"] = end.map { .string($0.rawValue) }
        object["renewal"] = intent.map(\.value)
        object["replaces"] = replaces.map { .string($0) }
        if let answer {
            var kept = JSONObject()
            kept["status"] = .integer(answer.status)
            kept["started_at"] = .date(answer.startedAt)
            kept["authorization"] = answer.authorization.map { .string(Base64URL.encode($0.revealBytes())) }
            kept["body"] = .string(Base64URL.encode(answer.body.revealBytes()))
            object["answer"] = .object(kept)
        } else if reserve > 0 {
            object["reserve"] = .string(String(repeating: "0", count: reserve))
        }
        object["tokens"] = .string(String(decoding: tokens.record, as: UTF8.self))
        return Secret(bytes: JSONValue.object(object).serialized)
    }

    package init(_ stored: StoredSession) throws(IdentityError) {
        guard let value = try? JSONValue(parsing: stored.payload.revealBytes()),
            (1...2).contains(value["v"]?.number?.integer ?? 0),
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
        if value["needs_login"]?.bool ?? false {
            end = (value["end"]?.string).map { SessionEndReason(rawValue: $0) } ?? .revoked
        }
        intent = value["renewal"].flatMap { RenewalIntent($0) }
        replaces = value["replaces"]?.string
        if let kept = value["answer"], let status = kept["status"]?.number?.integer,
            let startedAt = kept["started_at"]?.date,
            let body = (kept["body"]?.string).flatMap({ Base64URL.decode($0) })
        {
            answer = RefreshAnswer(
                status: status,
                body: Secret(bytes: body),
                authorization: (kept["authorization"]?.string).flatMap { Base64URL.decode($0) }.map {
                    Secret(bytes: $0)
                },
                startedAt: startedAt
            )
        }
    }

    /// How long an answer like the last one is in the payload, with room for longer tokens.
    static func expectedAnswerLength(_ tokens: TokenSet) -> Int {
        let secrets = [tokens.accessToken, tokens.refreshToken, tokens.idToken].compactMap { $0?.count }
        return (secrets.reduce(1024, +) * 4 + 2) / 3
    }

    /// What tells two issues of tokens apart, without being one of them.
    static func fingerprint(of tokens: TokenSet) throws(IdentityError) -> String {
        var bytes = tokens.accessToken.revealBytes()
        bytes.append(0)
        bytes += tokens.refreshToken?.revealBytes() ?? []
        do {
            return Base64URL.encode(try Digest.sha256(bytes))
        } catch {
            throw .sealingUnavailable(error)
        }
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
            isInDoubt: payload.intent != nil,
            endReason: payload.end
        )
    }
}
