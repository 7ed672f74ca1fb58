internal import FoundationEssentials
internal import IdentityCrypto

extension SessionState {
    private static let version = 4
    // The store limits the length of a saved payload, so the length is not limited here. The depth limit is higher than for an ID token,
    // because the payload contains the ID token's claims a few levels below its root.
    private static let limits = JSONLimits(maximumBytes: .max, maximumDepth: JSONLimits().maximumDepth + 8)

    /// A `claimed` payload is saved before the refresh token is sent, and has padding of the expected response's length.
    ///
    /// Without the padding, a full disk could prevent the save of the response, which contains the only valid refresh token. The payload of
    /// a new session with a refresh token has a little more padding, so that its first `claimed` payload is not longer.
    package func payload(ofNewSession isNew: Bool = false) -> Secret {
        var room = 0
        if let tokens, tokens.refreshToken != nil {
            if case .claimed = self { room = Self.expectedResponseLength(tokens) }
            if isNew { room = Self.expectedResponseLength(tokens) + Self.roomForClaim }
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4096 + room)
        JSONValue.object(record).append(to: &bytes)
        if room > 0 {
            // The padding is appended as bytes, which avoids a temporary string of its length.
            bytes.removeLast()
            bytes += ",\"reserve\":\"".utf8
            bytes += repeatElement(UInt8(ascii: "0"), count: room)
            bytes += "\"}".utf8
        }
        return Secret(bytes: bytes)
    }

    var record: JSONObject {
        let (name, key, value): (String, String, JSONValue?) =
            switch self {
            case .active: ("active", "", nil)
            // The key "intent" is part of the stored format.
            case .claimed(_, let claim): ("claimed", "intent", claim.value)
            case .responded(_, let response): ("responded", "response", response.value)
            case .ended(let reason, _): ("ended", "end", .string(reason.rawValue))
            }
        var object = JSONObject()
        object.append("v", .integer(Self.version))
        object.append("state", .string(name))
        object.append("tokens", tokens?.record)
        object.append(key, value)
        return object
    }

    /// Decodes the payload; throws ``IdentityError/Code/storeCorrupt`` if this version of the SDK cannot decode it.
    ///
    /// A response that cannot be decoded is not treated as missing, because it may contain the only valid refresh token.
    package init(_ stored: StoredSession) throws(IdentityError) {
        try self.init(Self.value(of: stored))
    }

    static func value(of stored: StoredSession) throws(IdentityError) -> JSONValue {
        guard let value = try? JSONValue(parsing: stored.payload.revealBytes(), limits: limits) else {
            throw unreadable
        }
        return value
    }

    init(_ value: JSONValue) throws(IdentityError) {
        guard value["v"]?.number?.integer == Self.version else { throw Self.unreadable }
        var tokens: TokenSet?
        if let record = value["tokens"] {
            tokens = TokenSet(record: record)
            guard tokens != nil else { throw Self.unreadable }
        }
        switch (value["state"]?.string, tokens) {
        case ("active", let tokens?): self = .active(tokens)
        case ("claimed", let tokens?):
            guard let claim = value["intent"].flatMap({ RefreshClaim($0) }) else { throw Self.unreadable }
            self = .claimed(tokens, claim)
        case ("responded", let tokens?):
            guard let response = value["response"].flatMap({ RefreshResponse($0) }) else { throw Self.unreadable }
            self = .responded(tokens, response)
        case ("ended", let tokens):
            guard let reason = value["end"]?.string else { throw Self.unreadable }
            self = .ended(SessionEndReason(rawValue: reason), tokens)
        default: throw Self.unreadable
        }
    }

    static var unreadable: IdentityError {
        IdentityError(
            storeCorrupt: "A stored session cannot be read.",
            hint: """
                Run the version of the app that wrote the session. If no version can read the session, end the session with `logout`, so \
                that the buyer signs in again. This call did not change the session.
                """
        )
    }

    /// Space for a ``RefreshClaim`` of about 100 bytes, and for tokens that become a little longer at a refresh.
    private static let roomForClaim = 512

    /// The base64url length of a response whose tokens are as long as `tokens`, plus 1 KB for longer tokens and other members.
    private static func expectedResponseLength(_ tokens: TokenSet) -> Int {
        let secrets = [tokens.accessToken, tokens.refreshToken, tokens.idToken].compactMap { $0?.count }
        return (secrets.reduce(1024, +) * 4 + 2) / 3
    }
}

extension RefreshResponse {
    /// The response as JSON; without `sent`, which only the process that sent the refresh token has.
    fileprivate var value: JSONValue {
        var object = JSONObject()
        object.append("status", .integer(status))
        object.append("started_at", .date(startedAt))
        object.append("received_at", .date(receivedAt))
        object.append("authorization", authorization.map { .string(Base64URL.encode($0.revealBytes())) })
        object.append("body", .string(Base64URL.encode(body.revealBytes())))
        object.append("mismatch", loginMismatch.map { .string($0.rawValue) })
        return .object(object)
    }

    fileprivate init?(_ value: JSONValue) {
        guard let status = value["status"]?.number?.integer,
            let startedAt = value["started_at"]?.date, let receivedAt = value["received_at"]?.date,
            let body = (value["body"]?.string).flatMap({ Base64URL.decode($0) })
        else { return nil }
        self.init(
            status: status,
            body: Secret(bytes: body),
            authorization: (value["authorization"]?.string).flatMap { Base64URL.decode($0) }.map { Secret(bytes: $0) },
            startedAt: startedAt,
            receivedAt: receivedAt
        )
        guard let stored = value["mismatch"] else { return }
        guard let code = stored.string else { return nil }
        loginMismatch = IdentityError.Code(rawValue: code)
    }
}
