internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit
internal import TestDoubles

/// The expected state of a session.
final class Subject: @unchecked Sendable {
    let index: Int
    let id: SessionID
    let provider: ProviderName
    let family: Family
    var isLoggedOut = false
    /// Whether a new login has replaced the session.
    var isReplaced = false
    /// When a caller forced a refresh.
    var lastForcedRefresh: Duration?

    init(index: Int, id: SessionID, provider: ProviderName, family: Family) {
        self.index = index
        self.id = id
        self.provider = provider
        self.family = family
    }
}

extension World {
    /// Signs a buyer in: creates a family at the provider and a row in the store.
    func addSubject() {
        let index = subjects.count
        let bytes = (0..<16).map { _ in UInt8(truncatingIfNeeded: scheduler.random.next()) }
        let provider = ProviderName.allCases[index % ProviderName.allCases.count]
        guard let id = SessionID(rawValue: Base64URL.encode(bytes)) else { return }
        let family = server.addFamily(provider, of: "buyer-\(index)")
        let subject = Subject(index: index, id: id, provider: provider, family: family)
        subjects.append(subject)
        byID[id] = subject
        var tokens = TokenSet(
            buyer: Buyer(issuer: provider.issuer, subject: "buyer-\(index)"),
            accessToken: Secret(family.accessToken(0)),
            tokenType: "bearer",
            refreshToken: Secret(family.refreshToken(0)),
            scopes: ["openid"],
            issuedAt: date,
            expiresAt: date + (episode.lifetime / .seconds(1))
        )
        if provider == .bolt { tokens.refreshTokenScopes = ["bolt.account.view"] }
        let row = StoredSession(
            id: id,
            provider: provider.rawValue,
            tenant: provider.tenant,
            issuer: provider.issuer,
            subject: tokens.buyer.subject,
            createdAt: date,
            retainedUntil: date + 90 * 86_400,
            payload: SessionState.active(tokens).payload(ofNewSession: true)
        )
        _ = disk.insert(row)
        note("login \(name(id)) at \(provider.rawValue)")
    }

    /// The name of a session in the history.
    func name(_ id: SessionID?) -> String {
        id.flatMap { byID[$0] }.map { "s\($0.index)" } ?? "-"
    }
}
