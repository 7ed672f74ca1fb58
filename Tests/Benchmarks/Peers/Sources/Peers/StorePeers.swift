import Crypto
import Foundation
import GRDB

/// Saves and reads of encrypted sessions with GRDB and swift-crypto.
///
/// GRDB's pool uses a write-ahead log. The synchronization is `FULL`, which a session needs.
enum StorePeers {
    static let all = [
        Peer(row: "save", name: "GRDB, swift-crypto", callers: 1) { context in
            let store = try Store(context, rows: 64)
            let numbers = Numbers()
            return { try await store.save(numbers.draw() % 64) }
        },
        Peer(row: "read-1000", name: "GRDB, swift-crypto", callers: 1) { context in
            let store = try Store(context, rows: 1_000)
            let numbers = Numbers()
            return { try await store.read(numbers.draw() &* 7_919 % 1_000) }
        },
    ]

    private struct Store {
        private let pool: DatabasePool
        private let key = SymmetricKey(data: Data(repeating: 3, count: 32))
        private let body = Data(repeating: 0x61, count: 400)

        init(_ context: Context, rows: Int) throws {
            let path = "\(context.folder)/grdb-\(rows).sqlite"
            let isNew = !FileManager.default.fileExists(atPath: path)
            pool = try DatabasePool(path: path)
            // The pool sets NORMAL when it opens. With NORMAL, a crash of the machine may lose the last saves.
            try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            guard isNew else { return }
            try pool.write { database in
                try database.execute(
                    sql: "CREATE TABLE session (id TEXT PRIMARY KEY, generation INTEGER NOT NULL, body BLOB NOT NULL)"
                )
                for row in 0..<rows {
                    try database.execute(
                        sql: "INSERT INTO session VALUES (?, 0, ?)",
                        arguments: [Self.id(row), try sealed(row)]
                    )
                }
            }
        }

        func save(_ row: Int) async throws {
            let sealed = try sealed(row)
            try await pool.write { database in
                try database.cachedStatement(
                    sql: "UPDATE session SET generation = generation + 1, body = ?2 WHERE id = ?1"
                )
                .execute(arguments: [Self.id(row), sealed])
            }
        }

        func read(_ row: Int) async throws {
            let sealed = try await pool.read { database in
                try Data.fetchOne(
                    database.cachedStatement(sql: "SELECT body FROM session WHERE id = ?"),
                    arguments: [Self.id(row)]
                )
            }
            guard let sealed,
                try AES.GCM.open(
                    AES.GCM.SealedBox(combined: sealed),
                    using: key,
                    authenticating: Data(Self.id(row).utf8)
                ).count == body.count
            else { throw PeerFailure("The row cannot be read.") }
        }

        private func sealed(_ row: Int) throws -> Data {
            let box = try AES.GCM.seal(body, using: key, authenticating: Data(Self.id(row).utf8))
            guard let sealed = box.combined else { throw PeerFailure("The row cannot be encrypted.") }
            return sealed
        }

        private static func id(_ row: Int) -> String { "session-\(10_000_000 + row)" }
    }
}
