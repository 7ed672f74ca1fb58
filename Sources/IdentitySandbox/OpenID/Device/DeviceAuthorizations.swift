internal import FoundationEssentials
internal import IdentityKit

/// The pending device authorizations (RFC 8628).
struct DeviceAuthorizations: Sendable {
    enum Decision: Sendable {
        case pending
        case approved(LoginSessions.Session)
        case denied
        case used
    }

    struct Authorization: Sendable {
        let clientID: String
        let deviceCode: String
        let userCode: String
        /// The id in the URL of the page on which the buyer approves or refuses the login.
        let handle: String
        let scopes: [String]
        let expires: Date
        var interval: TimeInterval
        var lastPoll: Date?
        var decision = Decision.pending
    }

    static let grantType = "urn:ietf:params:oauth:grant-type:device_code"
    /// The letters of user codes: consonants only, so that a code cannot be a word (RFC 8628 section 6.1).
    private static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ")

    private var authorizations: [Authorization] = []

    mutating func begin(
        _ configuration: SandboxOpenIDConfiguration,
        _ client: SandboxOpenIDClient,
        scopes: [String],
        at now: Date
    ) -> Authorization {
        // An expired authorization is kept for at least an hour, so that a late poll gets `expired_token`.
        authorizations.removeAll { $0.expires < now - 3600 }
        let letters = RandomText.bytes(8).map { Self.alphabet[Int($0) % Self.alphabet.count] }
        let authorization = Authorization(
            clientID: client.clientID,
            deviceCode: RandomText.base64URL(32),
            userCode: String(letters[..<4]) + "-" + String(letters[4...]),
            handle: RandomText.hexadecimal(32),
            scopes: scopes,
            expires: now + configuration.deviceCodeLifetime.timeInterval,
            interval: configuration.devicePollingInterval.timeInterval
        )
        authorizations.append(authorization)
        return authorization
    }

    func pending(userCode: String, at now: Date) -> Authorization? {
        func letters(_ text: String) -> String { text.uppercased().filter { $0.isASCII && $0.isLetter } }
        return authorizations.first { letters($0.userCode) == letters(userCode) && isPending($0, now) }
    }

    func pending(handle: String, at now: Date) -> Authorization? {
        authorizations.first { $0.handle == handle && isPending($0, now) }
    }

    private func isPending(_ authorization: Authorization, _ now: Date) -> Bool {
        guard case .pending = authorization.decision else { return false }
        return authorization.expires > now
    }

    /// Saves the buyer's decision; returns false if no decision is pending, for example because the buyer has decided in another tab.
    mutating func decide(handle: String, _ decision: Decision) -> Bool {
        guard let index = authorizations.firstIndex(where: { $0.handle == handle }),
            case .pending = authorizations[index].decision
        else { return false }
        authorizations[index].decision = decision
        return true
    }

    /// Handles a device's poll for its tokens (RFC 8628 section 3.5): returns an approved authorization, or throws the poll's error.
    mutating func poll(
        deviceCode: String,
        clientID: String,
        at now: Date
    ) throws(OAuthRefusal) -> (authorization: Authorization, session: LoginSessions.Session) {
        guard let index = authorizations.firstIndex(where: { $0.deviceCode.isIdentical(to: deviceCode) }) else {
            throw .invalidGrant("device_code is unknown.")
        }
        let authorization = authorizations[index]
        guard authorization.clientID.isIdentical(to: clientID) else {
            throw .invalidGrant("device_code was issued to another client.")
        }
        authorizations[index].lastPoll = now
        switch authorization.decision {
        case .used: throw .invalidGrant("device_code was used.")
        case _ where authorization.expires <= now:
            throw OAuthRefusal("expired_token", "device_code has expired.", isViolation: false)
        case .denied: throw OAuthRefusal("access_denied", "The buyer refused.", isViolation: false)
        case .approved(let session):
            authorizations[index].decision = .used
            return (authorization, session)
        case .pending: break
        }
        if let last = authorization.lastPoll, now.timeIntervalSince(last) < authorization.interval {
            authorizations[index].interval += 5
            let wanted = Int(authorization.interval)
            throw OAuthRefusal(
                "slow_down",
                "The device polled again within \(wanted) seconds. Wait 5 seconds longer before each poll."
            )
        }
        throw OAuthRefusal("authorization_pending", "The buyer has not answered yet.", isViolation: false)
    }
}
