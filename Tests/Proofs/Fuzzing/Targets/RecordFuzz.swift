import FoundationEssentials
import IdentityKit
import IdentityStoreKit

/// Checks decoding of stored records: arbitrary decrypted bytes, and modified encrypted bytes.
enum RecordFuzz {
    private static let identity = RecordFields(
        .session,
        row: [1, 2, 3],
        provider: "shopify",
        issuer: "https://id.example",
        buyer: [4],
        generation: 7
    )
    private static let sealer = Result {
        let key = try StoreKey(bytes: Secret(bytes: [UInt8](repeating: 7, count: StoreKey.byteCount)))
        return RecordSealer(keys: StoreKeys(active: key), storeID: [9, 9], schemaVersion: 1, slotSize: 512)
    }
    private static let sealed = Result { try sealer.get().seal(Array("body".utf8), as: identity) }

    static func check(_ input: [UInt8]) throws {
        try checkTokens(input)
        try checkSession(input)
        try checkAttempt(input)
        try checkSealed(input)
    }

    private static func checkTokens(_ input: [UInt8]) throws {
        guard let tokens = RecordReader(Secret(bytes: input)).flatMap(TokenSet.init(record:)) else { return }
        let record = RecordWriter.record(tokens.write(to:))
        let again = try require(
            RecordReader(record).flatMap(TokenSet.init(record:)),
            "the encoded record cannot be decoded"
        )
        try require(
            RecordWriter.record(again.write(to:)).isEqual(to: record),
            "a token set does not round-trip"
        )
    }

    private static func checkSession(_ input: [UInt8]) throws {
        let row = SealedSession(
            hash: identity.row,
            buyer: identity.buyer,
            tenant: identity.tenant,
            provider: identity.provider,
            issuer: identity.issuer,
            generation: identity.generation,
            retainedUntil: Forge.now,
            isInDoubt: false,
            record: []
        )
        guard let session = StoreRecords.session(from: input[...], row) else { return }
        // The bits of a NaN date may change, so such sessions are not compared.
        let dates = [session.createdAt, session.retainedUntil].map(\.timeIntervalSinceReferenceDate)
        if !dates.contains(where: \.isNaN) {
            try require(StoreRecords.body(of: session) == input, "two encodings of one session")
        }
        _ = try? SessionState(session)
    }

    private static func checkAttempt(_ input: [UInt8]) throws {
        let stored = StoredLoginAttempt(key: "key", expiresAt: Forge.now, payload: Secret(bytes: input))
        guard let attempt = try? LoginAttempt(stored) else { return }
        let written = try attempt.stored()
        let again = try LoginAttempt(written).stored()
        try require(again.payload.isEqual(to: written.payload), "a login attempt does not round-trip")
    }

    /// Reads the input as modifications of three bytes each: two bytes of position and one byte to combine (XOR).
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
            return try require([.storeCorrupt, .storeKeyMismatch].contains(error.code), "the error code differs")
        }
        throw FuzzTarget.Finding(description: "a modified record was decrypted")
    }
}
