internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit
internal import Testing

/// Values to store.
enum StoreSample {
    /// A moment with a fraction that no coarser clock would keep.
    static let moment = Date(timeIntervalSinceReferenceDate: 812_345_678.123_456_7)

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
            payload: payload
        )
    }

    static func attempt(_ key: String, expiresAt: Date = moment, payload: String = "attempt") -> StoredLoginAttempt {
        StoredLoginAttempt(key: key, expiresAt: expiresAt, payload: Secret(payload))
    }

    /// Inserts many sessions at once, which a durable store does much faster than one after another.
    static func insert(_ sessions: [StoredSession], into store: any SessionStore) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for session in sessions { group.addTask { try await store.insert(session) } }
            try await group.waitForAll()
        }
    }

    /// Texts that stores, collations and encodings have been known to change.
    static let awkwardTexts = [
        "", " ", "a\u{0}b", "\u{FEFF}bom", "e\u{301}", "é", "\u{212A}1", "K1", "k1", "'; DROP TABLE session; --",
        "%_\\", "\u{1F469}\u{200D}\u{1F680}", "\r\n", String(repeating: "ß", count: 300),
    ]

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// Whether two sessions are the same, texts compared as bytes.
    static func areSame(_ one: StoredSession?, _ other: StoredSession) -> Bool {
        guard let one else { return false }
        return one.id == other.id && one.provider.isIdentical(to: other.provider)
            && one.tenant.isIdentical(to: other.tenant) && one.issuer.isIdentical(to: other.issuer)
            && one.subject.isIdentical(to: other.subject) && one.generation == other.generation
            && one.createdAt == other.createdAt && one.retainedUntil == other.retainedUntil
            && one.providerSessionID.map(bytes) == other.providerSessionID.map(bytes)
            && one.payload.isEqual(to: other.payload)
    }
}

extension StoredSession {
    /// The session one generation later.
    func successor(_ payload: Secret, generations: Int64 = 1) -> StoredSession {
        var next = self
        next.generation += generations
        next.payload = payload
        return next
    }
}
