import CIdentitySQLite
import FoundationEssentials
import IdentityCrypto
import IdentityKit
import IdentitySQLite
import IdentityStoreKit
import TestDirectories
import TestDoubles

/// Checks modified database rows: each session, attempt or attachment is returned unchanged, is missing, or is refused with
/// an error code of the store.
enum RowFuzz {
    private static let columns = [
        ("session", "slot"), ("session", "hash"), ("session", "buyer"), ("session", "tenant"), ("session", "provider"),
        ("session", "issuer"), ("session", "generation"), ("session", "retained_until"), ("session", "key"),
        ("login_attempt", "slot"), ("login_attempt", "hash"), ("login_attempt", "expires_at"),
        ("attachment", "slot"), ("attachment", "revision"), ("attachment", "session"), ("lookup_key", "record"),
        ("store", "store_id"), ("store", "slot_size"), ("session", "in_doubt"), ("session", "restored"),
        ("session", "provider_session"), ("login_attempt", "tenant"), ("store", "is_copy"), ("store", "commits"),
    ]
    private static let stage = Task { try await RowStage() }

    /// The first byte selects the column, the second how the rest is written into it.
    static func check(_ input: [UInt8]) async throws {
        guard input.count >= 2 else { return }
        let stage = try await stage.value
        let (table, column) = columns[Int(input[0]) % columns.count]
        try await stage.check(table, column, style: input[1], Array(input[2...]))
    }
}

/// A store with one row in each table, which is restored for every input.
actor RowStage {
    private let directory: TemporaryDirectory
    private let path: String
    private let key: StoreKey
    private let pristine: Data
    private let session: StoredSession
    private let attempt: StoredLoginAttempt

    init() async throws {
        // In memory, because each input writes the file again.
        directory = try TemporaryDirectory("rows", inMemory: true)
        path = directory.path(of: "store.sqlite")
        key = try StoreKey(bytes: Secret(bytes: [UInt8](repeating: 7, count: StoreKey.byteCount)))
        session = StoredSession(
            id: try require(
                SessionID(rawValue: Base64URL.encode([UInt8](repeating: 1, count: 16))),
                "not a session id"
            ),
            provider: "shopify",
            tenant: "t",
            issuer: "https://id.example",
            subject: "buyer-1",
            createdAt: Forge.now,
            retainedUntil: Forge.now + 3600,
            payload: Secret("tokens")
        )
        attempt = StoredLoginAttempt(key: "state", expiresAt: Forge.now, payload: Secret("attempt"))
        let store = try await SQLiteStore.open(.init(path: path, key: key, slotSize: 512))
        try await store.insert(session)
        try await store.insert(attempt)
        _ = try await store.setAttachment("cart", to: Secret("cart-1"), of: session.id, expecting: nil)
        await store.close()
        pristine = try Data(contentsOf: URL(filePath: path))
    }

    func check(_ table: String, _ column: String, style: UInt8, _ bytes: [UInt8]) async throws {
        try pristine.write(to: URL(filePath: path))
        write(table, column, style, bytes)
        do {
            let store = try await SQLiteStore.open(.init(path: path, key: key))
            try await cleaningUp(store.close) { try await judge(store) }
        } catch let error as IdentityError {
            try judge(error)
        }
    }

    private func judge(_ store: SQLiteStore) async throws {
        try await tolerating {
            guard let found = try await store.session(session.id) else { return }
            try require(isOurs(found), "the session differs")
        }
        try await tolerating {
            for found in try await store.sessions(matching: SessionFilter()) {
                try require(isOurs(found), "a listed session differs")
            }
        }
        try await tolerating {
            guard let found = try await store.attachment("cart", of: session.id) else { return }
            try require(found.payload.isEqual(to: Secret("cart-1")), "the attachment differs")
        }
        try await tolerating { _ = try await store.checkHealth() }
        try await tolerating {
            guard let found = try await store.takeLoginAttempt("state") else { return }
            try require(found.payload.isEqual(to: attempt.payload), "the login attempt differs")
        }
        try await tolerating { _ = try await store.sweep(expiredBefore: Forge.now) }
        try await tolerating {
            guard let removed = try await store.remove(session.id) else { return }
            try require(isOurs(removed.session), "the removed session differs")
        }
    }

    private func isOurs(_ found: StoredSession) -> Bool {
        found.id == session.id && found.subject.isIdentical(to: session.subject)
            && found.issuer.isIdentical(to: session.issuer) && found.tenant.isIdentical(to: session.tenant)
            && found.provider.isIdentical(to: session.provider) && found.generation == session.generation
            && found.payload.isEqual(to: session.payload)
    }

    private func tolerating(_ body: () async throws -> Void) async throws {
        do { try await body() } catch let error as IdentityError { try judge(error) }
    }

    private func judge(_ error: IdentityError) throws {
        let expected: [IdentityError.Code] = [
            .storeCorrupt, .storeKeyMismatch, .storeTooNew, .storeFailed, .configurationInvalid, .storeRecordTooLarge,
        ]
        try require(expected.contains(error.code), "unexpected error code: \(error.code.rawValue)")
    }

    /// Writes into the database without the store; a write that SQLite refuses changes nothing.
    private func write(_ table: String, _ column: String, _ style: UInt8, _ bytes: [UInt8]) {
        var database: OpaquePointer?
        defer { unsafe sqlite3_close_v2(database) }
        guard unsafe sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else { return }
        var statement: OpaquePointer?
        defer { unsafe sqlite3_finalize(statement) }
        // Replace the value, or combine the bytes with it, which keeps its length and most of its content.
        let value = style % 5 == 4 ? "substr(\(column), 1, ?2) || ?1 || substr(\(column), ?2 + length(?1) + 1)" : "?1"
        guard
            unsafe sqlite3_prepare_v2(database, "UPDATE \(table) SET \(column) = \(value)", -1, &statement, nil)
                == SQLITE_OK
        else { return }
        switch style % 5 {
        case 0: unsafe sqlite3_bind_null(statement, 1)
        case 1:
            let number = bytes.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
            unsafe sqlite3_bind_int64(statement, 1, number)
        case 2:
            let number = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            unsafe sqlite3_bind_double(statement, 1, Double(bitPattern: number))
        default:
            _ = unsafe bytes.withUnsafeBytes {
                unsafe identity_sqlite_bind_bytes(statement, 1, $0.baseAddress, Int64($0.count))
            }
        }
        if style % 5 == 4 { unsafe sqlite3_bind_int64(statement, 2, Int64(style / 5) * 10) }
        unsafe sqlite3_step(statement)
    }
}
