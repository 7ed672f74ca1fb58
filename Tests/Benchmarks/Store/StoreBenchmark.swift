internal import FoundationEssentials
internal import IdentityKit
internal import IdentitySQLite
internal import IdentityStoreKit

/// Saves and reads, beside the same work through SQLite's C interface.
struct StoreBenchmark {
    let folder: String
    let time: Duration
    let slot: Int
    private var seconds: Int { max(1, Int(time / .seconds(1))) }
    private static let body = [UInt8](repeating: 0x61, count: 400)

    func run(rows: [Int]) async throws {
        try await saves()
        for count in rows { try await reads(count) }
    }

    private func open(_ name: String) async throws -> SQLiteStore {
        let key = try StoreKey(bytes: Secret(bytes: [UInt8](repeating: 9, count: StoreKey.byteCount)))
        return try await SQLiteStore.open(.init(path: "\(folder)/\(name).sqlite", key: key, slotSize: slot))
    }

    private func session(_ number: Int) throws -> StoredSession {
        guard let id = SessionID(rawValue: String(String(10_000_000 + number).reversed()) + "AAAAAAAAAAAAAA") else {
            throw IdentityError(.configuration, .systemFailure, "Not an id.")
        }
        return StoredSession(
            id: id,
            provider: "shopify",
            tenant: "",
            issuer: "https://id.example",
            subject: "buyer-\(number)",
            createdAt: Date(),
            retainedUntil: Date(timeIntervalSinceNow: 86_400),
            payload: Secret(bytes: Self.body)
        )
    }

    // MARK: Saves

    private func saves() async throws {
        Report.heading("Durable saves of one session (\(slot) bytes a row)")
        let bare = try BareSQLite(path: "\(folder)/bare-saves.sqlite", slot: slot)
        for row in 0..<64 { try bare.add(Int64(row), Self.body) }
        let one = try await Samples.measure(for: time) { try bare.save(Int64($0 % 64), Self.body) }
        Report.line("C, one writer", one)
        let store = try await open("saves")
        for number in 0..<64 { try await store.insert(try session(number)) }
        var ours: Samples?
        for writers in [1, 8, 64] {
            let samples = try await save(store, writers)
            let note =
                ours.map { Report.ratio(samples.rate, $0.rate, "one writer") }
                ?? Report.ratio(samples.rate, one.rate, "C")
            Report.line("store, \(writers) writer\(writers == 1 ? "" : "s")", samples, note)
            ours = ours ?? samples
        }
        await store.close()
    }

    private func save(_ store: SQLiteStore, _ writers: Int) async throws -> Samples {
        let clock = ContinuousClock()
        let start = clock.now
        var all = try await withThrowingTaskGroup(of: Samples.self) { group in
            for writer in 0..<writers {
                group.addTask {
                    guard var current = try await store.session(try session(writer).id) else { return Samples() }
                    return try await Samples.measure(for: time) { _ in
                        let generation = current.generation
                        current.generation += 1
                        guard try await store.replace(current, expecting: generation) else {
                            throw IdentityError(.configuration, .storeFailed, "A save got lost.")
                        }
                    }
                }
            }
            return try await group.reduce(into: Samples()) { $0.add($1) }
        }
        all.elapsed = clock.now - start
        return all
    }

    // MARK: Reads

    private func reads(_ count: Int) async throws {
        Report.heading("Point reads with decryption, \(count) rows")
        let (bare, store) = try await fill(count)
        let single = try await Samples.measure(for: time) { _ = try bare.read(Int64(($0 &* 7_919) % count)) }
        Report.line("C, one reader", single)
        let one = try await read(store, count, readers: 1)
        Report.line("store, one reader", one, Report.ratio(one.rate, single.rate, "C"))
        let eight = try await read(store, count, readers: 8)
        Report.line("store, 8 readers", eight, Report.ratio(eight.rate, single.rate, "C, one reader"))
        let writing = Task { try await save(store, 1) }
        let beside = try await read(store, count, readers: 8)
        let saves = try await writing.value
        let theirs = try await Contention.readers(
            8,
            besideWriterAt: "\(folder)/bare-\(count).sqlite",
            slot: slot,
            rows: count,
            for: time
        )
        Report.line("C, 8 readers beside a writer", theirs.reads, "\(theirs.saves / seconds) saves a second beside")
        Report.line(
            "store, 8 readers beside a writer",
            beside,
            "\(Int(saves.rate)) saves a second beside; \(Report.ratio(beside.rate, theirs.reads.rate, "C"))"
        )
        await store.close()
    }

    private func fill(_ count: Int) async throws -> (BareSQLite, SQLiteStore) {
        let bare = try BareSQLite(path: "\(folder)/bare-\(count).sqlite", slot: slot)
        let store = try await open("reads-\(count)")
        let chunk = 256
        for first in stride(from: 0, to: count, by: chunk) {
            let numbers = first..<min(first + chunk, count)
            try bare.begin()
            for number in numbers { try bare.add(Int64(number), Self.body) }
            try bare.commit()
            // Handed in at the same time, they share a transaction.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in numbers { group.addTask { try await store.insert(try session(number)) } }
                try await group.waitForAll()
            }
            if first % (chunk * 200) == 0, count > 50_000 { Report.write("  … \(first) of \(count) rows made") }
        }
        return (bare, store)
    }

    private func read(_ store: SQLiteStore, _ count: Int, readers: Int) async throws -> Samples {
        let clock = ContinuousClock()
        let start = clock.now
        var all = try await withThrowingTaskGroup(of: Samples.self) { group in
            for reader in 0..<readers {
                group.addTask {
                    let ids = try (0..<min(count, 4_096)).map { try session(($0 &* 7_919 + reader * 31) % count).id }
                    return try await Samples.measure(for: time) { number in
                        guard try await store.session(ids[number % ids.count]) != nil else {
                            throw IdentityError(.configuration, .storeFailed, "A row is missing.")
                        }
                    }
                }
            }
            return try await group.reduce(into: Samples()) { $0.add($1) }
        }
        all.elapsed = clock.now - start
        return all
    }
}
