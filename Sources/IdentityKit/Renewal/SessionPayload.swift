internal import FoundationEssentials
internal import IdentityCrypto

/// What a stored session's payload holds: the tokens and how things stand with them.
package struct SessionPayload: Sendable {
    private static let version: Int = 1
    /// Another version than that of a session without an answer: a program that does not know of answers must not refresh over one.
    private static let versionWithAnswer: Int = 3

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
    private(set) var reserve = 0

    var needsLogin: Bool { end != nil }

    init(tokens: TokenSet) {
        self.tokens = tokens
    }

    /// The payload to be sealed.
    var secret: Secret {
        var object = JSONObject()
        object["v"] = .integer(answer == nil ? Self.version : Self.versionWithAnswer)
        object["needs_login"] = .bool(needsLogin)
        object["end"] = end.map { .string($0.rawValue) }
        object["renewal"] = intent.map(\.value)
        object["replaces"] = replaces.map { .string($0) }
        if let answer {
            var kept = JSONObject()
            kept["status"] = .integer(answer.status)
            kept["started_at"] = .date(answer.startedAt)
            kept["received_at"] = .date(answer.receivedAt)
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
            let version = value["v"]?.number?.integer, [Self.version, Self.versionWithAnswer].contains(version),
            let record = value["tokens"]?.string, let tokens = TokenSet(record: Array(record.utf8))
        else { throw Self.unreadable }
        self.tokens = tokens
        if value["needs_login"]?.bool ?? false {
            end = (value["end"]?.string).map { SessionEndReason(rawValue: $0) } ?? .revoked
        }
        intent = value["renewal"].flatMap { RenewalIntent($0) }
        replaces = value["replaces"]?.string
        // An answer that cannot be read may hold the only valid refresh token: it never counts as absent.
        if let kept = value["answer"] { answer = try Self.answer(kept) }
    }

    private static func answer(_ kept: JSONValue) throws(IdentityError) -> RefreshAnswer {
        guard let status = kept["status"]?.number?.integer,
            let startedAt = kept["started_at"]?.date, let receivedAt = kept["received_at"]?.date,
            let body = (kept["body"]?.string).flatMap({ Base64URL.decode($0) })
        else { throw unreadable }
        return RefreshAnswer(
            status: status,
            body: Secret(bytes: body),
            authorization: (kept["authorization"]?.string).flatMap { Base64URL.decode($0) }.map { Secret(bytes: $0) },
            startedAt: startedAt,
            receivedAt: receivedAt
        )
    }

    private static var unreadable: IdentityError {
        IdentityError(
            .configuration,
            .storeCorrupt,
            "A stored session cannot be read.",
            hint: "It was kept as it is. Another version of the app may have written it."
        )
    }

    /// What a new session keeps free besides the answer: the intent of a claim takes some 100 bytes, and tokens may become a little
    /// longer from one refresh to the next.
    private static let firstReserve = 512

    /// Keeps room for the answer to the next refresh.
    ///
    /// A new session takes a little more than a claim, so that no claim makes its row longer: on a disk that is full by then there
    /// would be no room for that.
    mutating func reserveAnswer(forNewSession isNew: Bool) {
        guard tokens.refreshToken != nil else { return }
        reserve = Self.expectedAnswerLength(tokens) + (isNew ? Self.firstReserve : 0)
    }

    /// How long an answer like the last one is in the payload, with room for longer tokens.
    private static func expectedAnswerLength(_ tokens: TokenSet) -> Int {
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
