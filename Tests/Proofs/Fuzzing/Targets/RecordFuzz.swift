import FoundationEssentials
import IdentityKit
import IdentityStoreKit

/// Stored records: bytes inside a seal, as a newer version or a mistake may have written them, and changed sealed bytes.
enum RecordFuzz {
    private static let identity = RecordIdentity(
        .session,
        row: [1, 2, 3],
        provider: "shopify",
        issuer: "https://id.example",
        buyer: [4],
        generation: 7
    )
    private static let sealer = Result {
        let key = try StoreKey(bytes: Secret(bytes: [UInt8](repeating: 7, count: StoreKey.byteCount)))
        return RecordSealer(keys: KeyRing(active: key), storeID: [9, 9], schemaVersion: 1, slotSize: 512)
    }
    private static let sealed = Result { try sealer.get().seal(Array("body".utf8), as: identity) }

    static func check(_ input: [UInt8]) throws {
        try checkTokens(input)
        try checkSession(input)
        try checkAttempt(input)
        try checkSealed(input)
    }

    private static func checkTokens(_ input: [UInt8]) throws {
        guard let tokens = TokenSet(record: input) else { return }
        let again = try require(TokenSet(record: tokens.record), "what was written cannot be read")
        try require(again.record == tokens.record, "a token set is another after writing and reading")
    }

    private static func checkSession(_ input: [UInt8]) throws {
        guard let session = SealedSession.session(from: input[...], identity: identity) else { return }
        // Dates that are no number keep their meaning, not their bits.
        let dates = [session.createdAt, session.retainedUntil].map(\.timeIntervalSinceReferenceDate)
        if !dates.contains(where: \.isNaN) {
            try require(SealedSession.body(of: session) == input, "two bodies for one session")
        }
        _ = try? SessionPayload(session)
    }

    private static func checkAttempt(_ input: [UInt8]) throws {
        let stored = StoredLoginAttempt(key: "key", expiresAt: Forge.now, payload: Secret(bytes: input))
        guard let attempt = try? LoginAttempt(stored) else { return }
        let written = try attempt.stored()
        let again = try LoginAttempt(written).stored()
        try require(again.payload.isEqual(to: written.payload), "an attempt is another after writing and reading")
    }

    /// The input as changes: two bytes of place and one that is laid over, as often as they last.
    private static func checkSealed(_ input: [UInt8]) throws {
        try refuses(input)
        let original = try sealed.get()
        var changed = original
        for start in stride(from: 0, to: input.count - 2, by: 3) {
            let place = (Int(input[start]) << 8 | Int(input[start + 1])) % changed.count
            changed[place] ^= input[start + 2]
        }
        if changed != original { try refuses(changed) }
        try refuses(Array(original.prefix(input.count % original.count)))
    }

    private static func refuses(_ record: [UInt8]) throws {
        do {
            _ = try sealer.get().open(record, as: identity)
        } catch let error as IdentityError {
            return try require([.storeCorrupt, .storeKeyMismatch].contains(error.code), "another code")
        }
        throw FuzzTarget.Finding(description: "a changed record was opened")
    }
}
