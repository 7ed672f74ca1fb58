internal import BenchmarkLogins
internal import Dispatch
internal import FoundationEssentials
internal import IdentityKit
internal import IdentitySQLite
internal import IdentityStoreKit
internal import Synchronization

/// Saves and reads of sessions, beside the same work through SQLite's C interface.
enum SQLiteStoreRows {
    static let all = [
        Row(
            name: "save",
            title: "A durable save of a session, one writer",
            peers: [
                bareSave("SQLite in C") { try $0.save($1) },
                bareSave("SQLite in C, on a thread") { try $0.saveOnQueue($1) },
                save("SQLiteStore", callers: 1, isCounted: true),
                save("SQLiteStore, 64 writers", callers: writers, isCounted: false),
            ]
        ),
        read(1_000),
        read(100_000),
    ]

    static let writers = 64
    static let slot = 7_680
    static let body = [UInt8](repeating: 0x61, count: 400)

    private static func read(_ count: Int) -> Row {
        Row(
            name: "read-\(count)",
            title: "A session by its id, \(count) rows",
            peers: [
                Peer(
                    name: "SQLite in C",
                    work: .operation(callers: 1) { context in
                        let bare = Bare(try bareFile(count, in: context))
                        let numbers = Numbers()
                        return { try bare.read(Int64(numbers.draw() &* 7_919 % count)) }
                    }
                ),
                read(count, "SQLiteStore", callers: 1),
                tokens(count),
                read(count, "SQLiteStore, 8 readers", callers: 8),
            ],
            isLong: count > 1_000
        )
    }

    private static func read(_ count: Int, _ name: String, callers: Int) -> Peer {
        Peer(
            name: name,
            work: .operation(callers: callers) { context in
                try reads(of: count, in: [try await filledStore(count, in: context)])
            },
            isCounted: callers == 1 && count == 1_000
        )
    }

    /// Reads sessions by their ids, each from the next of the stores.
    static func reads(of count: Int, in stores: [any SessionStore]) throws -> Peer.Operation {
        let ids = try (0..<min(count, 4_096)).map { try session($0 &* 7_919 % count).id }
        let numbers = Numbers()
        return {
            let number = numbers.draw()
            guard try await stores[number % stores.count].session(ids[number % ids.count]) != nil else {
                throw BenchmarkFailure("A row is missing.")
            }
        }
    }

    /// Reads sessions through `tokens(for:)`, which also decodes the session and checks whether its tokens are still valid.
    private static func tokens(_ count: Int) -> Peer {
        Peer(
            name: "tokens(for:)",
            work: .operation(callers: 1) { context in
                let store = try await openStore("tokens-\(count)", in: context, slotSize: slot)
                let manager = try SessionManagerRows.manager(store, SlowProvider())
                var ids = try await manager.sessions().map(\.id)
                for first in stride(from: ids.count, to: count, by: 256) {
                    // Concurrent logins share a transaction.
                    ids += try await withThrowingTaskGroup(of: SessionID.self) { group in
                        for number in first..<min(first + 256, count) {
                            var tokens = SlowProvider.tokens("buyer-\(number)", expiringIn: 3_600)
                            // These tokens are still valid in the next rounds, which read the same file.
                            tokens.expiresAt = Date(timeIntervalSinceNow: 86_400 * 30)
                            group.addTask { [tokens] in try await manager.establish(tokens, provider: "slow").id }
                        }
                        return try await group.reduce(into: []) { $0.append($1) }
                    }
                }
                let numbers = Numbers()
                return { [ids] in _ = try await manager.tokens(for: ids[numbers.draw() &* 7_919 % ids.count]) }
            },
            isCounted: count == 1_000
        )
    }

    private static func bareSave(_ name: String, _ save: @escaping @Sendable (Bare, Int64) throws -> Void) -> Peer {
        Peer(
            name: name,
            work: .operation(callers: 1) { context in
                let bare = Bare(try bareFile(0, in: context))
                let numbers = Numbers()
                return { try save(bare, Int64(numbers.draw() % writers)) }
            }
        )
    }

    private static func save(_ name: String, callers: Int, isCounted: Bool) -> Peer {
        Peer(
            name: name,
            work: .operation(callers: callers) { context in
                try await saves(in: [try await filledStore(writers, in: context)])
            },
            isCounted: isCounted
        )
    }

    /// Saves sessions, each through the next of the stores; at most 64 at the same time.
    static func saves(in stores: [any SessionStore]) async throws -> Peer.Operation {
        let rows = Rows(try await (0..<writers).asyncMap { try await stores[0].session(try session($0).id) })
        let numbers = Numbers()
        return {
            var row = try rows.take()
            let generation = row.generation
            row.generation += 1
            guard try await stores[numbers.draw() % stores.count].replace(row, expecting: generation) else {
                throw BenchmarkFailure("A save found another generation.")
            }
            rows.give(row)
        }
    }

    // MARK: Files, which are kept for the next round

    static func session(_ number: Int, retainedUntil: Date = Date(timeIntervalSinceNow: 86_400)) throws -> StoredSession
    {
        guard let id = SessionID(rawValue: String(String(10_000_000 + number).reversed()) + "AAAAAAAAAAAAAA") else {
            throw BenchmarkFailure("The session id is not valid.")
        }
        return StoredSession(
            id: id,
            provider: "shopify",
            tenant: "",
            issuer: "https://id.example",
            subject: "buyer-\(number)",
            createdAt: Date(),
            retainedUntil: retainedUntil,
            payload: Secret(bytes: body)
        )
    }

    private static func bareFile(_ count: Int, in context: Context) throws -> BareSQLite {
        let path = "\(context.folder)/bare-\(count).sqlite"
        let isNew = !FileManager.default.fileExists(atPath: path)
        let file = try BareSQLite(path: path, slot: slot)
        if isNew {
            try file.begin()
            for row in 0..<max(count, writers) { try file.add(Int64(row), body) }
            try file.commit()
        }
        return file
    }

    static func filledStore(_ count: Int, in context: Context) async throws -> SQLiteStore {
        let name = "rows-\(count)"
        let isNew = !FileManager.default.fileExists(atPath: "\(context.folder)/\(name).sqlite")
        let store = try await openStore(name, in: context, slotSize: slot)
        if isNew { try await insert(0..<count, into: store) }
        return store
    }

    static func insert(
        _ numbers: Range<Int>,
        into store: any SessionStore,
        retainedUntil: Date = Date(timeIntervalSinceNow: 86_400)
    ) async throws {
        for first in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 256) {
            // Concurrent insertions share a transaction.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in first..<min(first + 256, numbers.upperBound) {
                    group.addTask { try await store.insert(try session(number, retainedUntil: retainedUntil)) }
                }
                try await group.waitForAll()
            }
        }
    }

    /// The rows that no writer is saving at the moment.
    private final class Rows: Sendable {
        private let free: Mutex<[StoredSession]>

        init(_ rows: [StoredSession?]) { free = Mutex(rows.compactMap(\.self)) }

        func take() throws -> StoredSession {
            guard let row = free.withLock({ $0.popLast() }) else { throw BenchmarkFailure("No row is free.") }
            return row
        }

        func give(_ row: StoredSession) { free.withLock { $0.append(row) } }
    }

    /// One connection, used by one caller at a time.
    private final class Bare: @unchecked Sendable {
        private let file: BareSQLite
        private let queue = DispatchQueue(label: "SQLite in C")
        private let saved = DispatchSemaphore(value: 0)
        private var result: Result<Void, any Error> = .success(())

        init(_ file: BareSQLite) { self.file = file }

        func save(_ row: Int64) throws { try file.save(row, body) }

        /// Saves on another thread, as a store must that does not block its callers' threads.
        func saveOnQueue(_ row: Int64) throws {
            queue.async {
                self.result = Result { try self.save(row) }
                self.saved.signal()
            }
            saved.wait()
            try result.get()
        }

        func read(_ row: Int64) throws { _ = try file.read(row) }
    }
}

extension Range<Int> {
    fileprivate func asyncMap<Value>(_ transform: (Int) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for number in self { values.append(try await transform(number)) }
        return values
    }
}
