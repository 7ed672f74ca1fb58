internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit
internal import IdentityStoreKit
internal import Testing

enum StoreSample {
    /// A date with a fraction that a rounding store would change.
    ///
    /// The date is in the year 2068, because a store may remove records whose time has passed.
    static let moment = Date(timeIntervalSinceReferenceDate: 2_123_456_789.123_456_7)

    /// A date in the past with a fraction that a rounding store would change.
    ///
    /// Cases about sweeps use this date, because a store may keep a row until the row has also expired by the clock of the database server.
    static let pastMoment = Date(timeIntervalSinceReferenceDate: 812_345_678.123_456_7)

    static func id() throws -> SessionID {
        try #require(SessionID(rawValue: Base64URL.encode(try SecureRandom.bytes(16))))
    }

    static func session(
        provider: String = "shopify",
        tenant: String = "",
        issuer: String = "https://id.example",
        subject: String = "buyer-1",
        providerSessionID: String? = nil,
        createdAt: Date = moment,
        retainedUntil: Date = moment + 3_600,
        isInDoubt: Bool = false,
        payload: Secret = Secret("tokens")
    ) throws -> StoredSession {
        StoredSession(
            id: try id(),
            provider: provider,
            tenant: tenant,
            issuer: issuer,
            subject: subject,
            providerSessionID: providerSessionID,
            createdAt: createdAt,
            retainedUntil: retainedUntil,
            isInDoubt: isInDoubt,
            payload: payload
        )
    }

    static func inserted(in store: any SessionStore) async throws -> StoredSession {
        try await session().inserted(in: store)
    }

    static func attempt(
        _ key: String,
        tenant: String = "",
        expiresAt: Date = moment,
        payload: String = "attempt"
    ) -> StoredLoginAttempt {
        StoredLoginAttempt(key: key, tenant: tenant, expiresAt: expiresAt, payload: Secret(payload))
    }

    static func key() throws -> StoreKey {
        try StoreKey(bytes: Secret(bytes: try SecureRandom.bytes(StoreKey.byteCount)))
    }

    static func randomPayload(_ count: Int) throws -> Secret {
        Secret(bytes: try SecureRandom.bytes(count))
    }

    static func replace(
        _ session: StoredSession,
        times count: Int,
        in store: any SessionStore,
        payload: (_ generation: Int64) -> Secret = { _ in Secret("x") }
    ) async throws {
        var session = session
        for _ in 0..<count {
            session = try await session.saved(payload(session.generation + 1), in: store)
        }
    }

    /// Inserts many sessions concurrently, which is much faster in a durable store than one after the other.
    static func insert(_ sessions: [StoredSession], into store: any SessionStore) async throws {
        try await StoreConformance.concurrently(sessions.count) { try await store.insert(sessions[$0]) }
    }

    /// Texts that stores, collations and encodings are known to change.
    static let awkwardTexts = [
        "", " ", "a\u{0}b", "\u{FEFF}bom", "e\u{301}", "é", "\u{212A}1", "K1", "k1", "'; DROP TABLE session; --",
        "%_\\", "\u{1F469}\u{200D}\u{1F680}", "\r\n", String(repeating: "ß", count: 300),
    ]

    /// Texts that look alike or are canonically equivalent; a store must treat them as different.
    static let lookalikes = ["e\u{301}", "é", "\u{212A}1", "K1", "k1", "K1 "]

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
    private static func bits(_ date: Date) -> UInt64 { date.timeIntervalSinceReferenceDate.bitPattern }

    /// Whether two sessions are equal, with texts compared byte by byte and dates compared bit by bit.
    static func areSame(_ one: StoredSession?, _ other: StoredSession) -> Bool {
        guard let one else { return false }
        return one.id == other.id && one.provider.isIdentical(to: other.provider)
            && one.tenant.isIdentical(to: other.tenant) && one.issuer.isIdentical(to: other.issuer)
            && one.subject.isIdentical(to: other.subject) && one.generation == other.generation
            && bits(one.createdAt) == bits(other.createdAt) && bits(one.retainedUntil) == bits(other.retainedUntil)
            && one.isInDoubt == other.isInDoubt && one.isRestored == other.isRestored
            && one.providerSessionID.map(bytes) == other.providerSessionID.map(bytes)
            && one.payload.isEqual(to: other.payload)
    }
}

extension StoredSession {
    func inserted(in store: any SessionStore) async throws -> StoredSession {
        try await store.insert(self)
        return self
    }

    /// Returns a copy with another payload and a generation that is higher by `generations`; `change` can make further changes.
    func successor(
        _ payload: Secret,
        generations: Int64 = 1,
        _ change: (inout StoredSession) -> Void = { _ in }
    ) -> StoredSession {
        var next = self
        next.generation += generations
        next.payload = payload
        change(&next)
        return next
    }

    func saved(
        _ payload: Secret,
        in store: any SessionStore,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ change: (inout StoredSession) -> Void = { _ in }
    ) async throws -> StoredSession {
        let next = successor(payload, change)
        #expect(try await store.replace(next, expecting: generation), sourceLocation: sourceLocation)
        return next
    }
}
