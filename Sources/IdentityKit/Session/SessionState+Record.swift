internal import FoundationEssentials
internal import IdentityCrypto

extension SessionState {
    private static let version = 5

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
        return RecordWriter.record(capacity: 4096 + room) { record in
            write(to: &record)
            if room > 0 { record.append("reserve", paddingOf: room) }
        }
    }

    func write(to record: inout RecordWriter) {
        record.append("v", Self.version)
        if let tokens { record.append("tokens") { tokens.write(to: &$0) } }
        switch self {
        case .active: record.append("state", "active")
        case .claimed(_, let claim):
            record.append("state", "claimed")
            record.append("claim") { claim.write(to: &$0) }
        case .responded(_, let response):
            record.append("state", "responded")
            record.append("response") { response.write(to: &$0) }
        case .ended(let reason, _):
            record.append("state", "ended")
            record.append("end", reason.rawValue)
        }
    }

    /// Decodes the payload; throws ``IdentityError/Code/storeCorrupt`` if this version of the SDK cannot decode it.
    ///
    /// A response that cannot be decoded is not treated as missing, because it may contain the only valid refresh token.
    package init(_ stored: StoredSession) throws(IdentityError) {
        try self.init(Self.record(of: stored))
    }

    static func record(of stored: StoredSession) throws(IdentityError) -> RecordReader {
        guard let record = RecordReader(stored.payload) else { throw unreadable }
        return record
    }

    init(_ value: RecordReader) throws(IdentityError) {
        guard value["v"]?.integer == Self.version else { throw Self.unreadable }
        var tokens: TokenSet?
        if let record = value["tokens"] {
            tokens = TokenSet(record: record)
            guard tokens != nil else { throw Self.unreadable }
        }
        switch (value["state"]?.string, tokens) {
        case ("active", let tokens?): self = .active(tokens)
        case ("claimed", let tokens?):
            guard let claim = value["claim"].flatMap({ RefreshClaim(record: $0) }) else { throw Self.unreadable }
            self = .claimed(tokens, claim)
        case ("responded", let tokens?):
            guard let response = value["response"].flatMap({ RefreshResponse(record: $0) }) else {
                throw Self.unreadable
            }
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

    /// The length of a response whose tokens are as long as `tokens`, plus 1 KB for longer tokens and other members.
    private static func expectedResponseLength(_ tokens: TokenSet) -> Int {
        [tokens.accessToken, tokens.refreshToken, tokens.idToken].reduce(1024) { $0 + ($1?.count ?? 0) }
    }
}

extension RefreshResponse {
    /// Writes the response without `sent`, which only the process that sent the refresh token has.
    fileprivate func write(to record: inout RecordWriter) {
        record.append("status", status)
        record.append("started_at", startedAt)
        record.append("received_at", receivedAt)
        record.append("authorization", authorization)
        record.append("body", body)
        record.append("mismatch", loginMismatch?.rawValue)
    }

    fileprivate init?(record value: RecordReader) {
        guard let status = value["status"]?.integer,
            let startedAt = value["started_at"]?.date, let receivedAt = value["received_at"]?.date,
            let body = value["body"]?.secret
        else { return nil }
        self.init(
            status: status,
            body: body,
            authorization: value["authorization"]?.secret,
            startedAt: startedAt,
            receivedAt: receivedAt
        )
        guard let stored = value["mismatch"] else { return }
        guard let code = stored.string else { return nil }
        loginMismatch = IdentityError.Code(rawValue: code)
    }
}
