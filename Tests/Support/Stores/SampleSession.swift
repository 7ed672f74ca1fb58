package import FoundationEssentials
internal import IdentityCrypto
package import IdentityKit
internal import Testing

/// A session with a new id, for tests of stores.
package func sampleSession(
    payload: String = "tokens",
    subject: String = "buyer",
    tenant: String = "",
    providerSessionID: String? = nil,
    retainedUntil: Date = Date(timeIntervalSince1970: 2_000_000_000)
) throws -> StoredSession {
    StoredSession(
        id: try #require(SessionID(rawValue: Base64URL.encode(try SecureRandom.bytes(16)))),
        provider: "shopify",
        tenant: tenant,
        issuer: "https://id.example",
        subject: subject,
        providerSessionID: providerSessionID,
        createdAt: Date(timeIntervalSince1970: 1_790_000_000),
        retainedUntil: retainedUntil,
        payload: Secret(payload)
    )
}

extension StoredSession {
    package func next(_ payload: String? = nil, isInDoubt: Bool = false) -> StoredSession {
        var next = self
        next.generation += 1
        next.isInDoubt = isInDoubt
        if let payload { next.payload = Secret(payload) }
        return next
    }
}
