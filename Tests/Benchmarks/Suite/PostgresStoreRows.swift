internal import Foundation
internal import IdentityKit
internal import IdentityPostgres
internal import IdentityStoreKit
internal import Synchronization

/// Saves and reads of sessions in PostgreSQL, beside the same work through libpq alone, and from two nodes at the same time.
///
/// The CPU time is that of the client. Without a server or without the trait PostgreSQL there are no such rows.
enum PostgresStoreRows {
    #if PostgreSQL
    static let all: [Row] = server == nil ? [] : [save, read]

    private static let server = ProcessInfo.processInfo.environment["IDENTITYKIT_BENCHMARK_POSTGRES"]
    private static let sessions = 1_000

    private static let save = Row(
        name: "postgres-save",
        title: "A durable save of a session in PostgreSQL",
        peers: [
            Peer(
                name: "libpq in C",
                work: .operation(callers: 1) { _ in
                    let bare = try Bare()
                    return { try bare.save() }
                }
            ),
            save("PostgresStore", nodes: 1, callers: 1),
            save("PostgresStore, 64 writers", nodes: 1, callers: SQLiteStoreRows.writers),
            save("two nodes, 64 writers", nodes: 2, callers: SQLiteStoreRows.writers),
        ]
    )

    private static let read = Row(
        name: "postgres-read",
        title: "A session by its id in PostgreSQL, \(sessions) rows",
        peers: [
            Peer(
                name: "libpq in C",
                work: .operation(callers: 1) { _ in
                    let bare = try Bare()
                    return { try bare.read() }
                }
            ),
            read("PostgresStore", nodes: 1, callers: 1),
            read("PostgresStore, 16 readers", nodes: 1, callers: 16),
            read("two nodes, 16 readers", nodes: 2, callers: 16),
        ]
    )

    private static func save(_ name: String, nodes: Int, callers: Int) -> Peer {
        Peer(
            name: name,
            work: .operation(callers: callers) { _ in try await SQLiteStoreRows.saves(in: try await stores(nodes)) }
        )
    }

    private static func read(_ name: String, nodes: Int, callers: Int) -> Peer {
        Peer(
            name: name,
            work: .operation(callers: callers) { _ in
                try SQLiteStoreRows.reads(of: sessions, in: try await stores(nodes))
            }
        )
    }

    /// The stores of some nodes, which share one schema; the first one adds the sessions.
    private static func stores(_ nodes: Int) async throws -> [PostgresStore] {
        let key = try StoreKey(bytes: Secret(bytes: [UInt8](repeating: 9, count: StoreKey.byteCount)))
        var configuration = PostgresStore.Configuration(connection: Secret(server ?? ""), key: key)
        configuration.schema = "benchmark"
        configuration.slotSize = SQLiteStoreRows.slot
        var stores: [PostgresStore] = []
        for _ in 0..<nodes { stores.append(try await PostgresStore.open(configuration)) }
        if try await stores[0].session(try SQLiteStoreRows.session(sessions - 1).id) == nil {
            try await SQLiteStoreRows.insert(0..<sessions, into: stores[0])
        }
        return stores
    }

    /// One connection, used by one caller at a time.
    private final class Bare: @unchecked Sendable {
        private let connection: BarePostgres
        private let numbers = Numbers()

        init() throws {
            connection = try BarePostgres(server ?? "", slot: SQLiteStoreRows.slot)
            try connection.fill(sessions, SQLiteStoreRows.body)
        }

        func save() throws {
            try connection.save(Int64(numbers.draw() % SQLiteStoreRows.writers), SQLiteStoreRows.body)
        }

        func read() throws { _ = try connection.read(Int64(numbers.draw() &* 7_919 % sessions)) }
    }
    #else
    static let all: [Row] = []
    #endif
}
