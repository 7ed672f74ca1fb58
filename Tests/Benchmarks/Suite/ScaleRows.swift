internal import BenchmarkLogins
internal import FoundationEssentials
internal import IdentityHTTP
internal import IdentityKit
internal import IdentitySQLite
internal import IdentityShopify
internal import IdentityStoreKit

/// Work that should cost hardly more with many sessions or shops than with few.
enum ScaleRows {
    static let all =
        sessionRows(suffix: "", counts: [1_000, 100_000], isHuge: false)
        + sessionRows(suffix: "-1000000", counts: [1_000, 1_000_000], isHuge: true)
        + [
            Row(
                name: "shops",
                title: "A provider for each shop, configured at once",
                unit: "µs for each",
                peers: [1, 1_000].map { count in
                    Peer(name: "\(count) shops", work: .figure { _ in try configure(count).microseconds })
                },
                isLong: true
            ),
            Row(
                name: "shop-memory",
                title: "Memory of a provider for each of 1,000 shops",
                unit: "KB for each",
                peers: [Peer(name: "1000 shops", work: .figure { _ in try configure(1_000).kilobytes })],
                isLong: true
            ),
        ]

    private static func sessionRows(suffix: String, counts: [Int], isHuge: Bool) -> [Row] {
        func row(
            _ name: String,
            _ title: String,
            _ unit: String,
            _ body: @escaping @Sendable (Int, Context) async throws -> Double
        ) -> Row {
            let peers = counts.map { count in
                Peer(name: "\(count) sessions", work: .figure { try await body(count, $0) })
            }
            return Row(name: name + suffix, title: title, unit: unit, peers: peers, isLong: true, isHuge: isHuge)
        }
        return [
            row("open", "Opening a SQLite store", "ms") { count, context in
                await (try SQLiteStoreRows.filledStore(count, in: context)).close()
                return try await milliseconds { await (try SQLiteStoreRows.filledStore(count, in: context)).close() }
            },
            row("list-by-buyer", "The sessions of one buyer", "µs") { count, context in
                let store = try await SQLiteStoreRows.filledStore(count, in: context)
                let filter = SessionFilter(buyer: ("https://id.example", "buyer-\(count / 2)"))
                return try await milliseconds(of: 200) {
                    guard try await store.sessions(matching: filter).count == 1 else {
                        throw BenchmarkFailure("The list does not contain exactly one session.")
                    }
                } * 1_000
            },
            row("sweep", "Removing 1,000 expired sessions", "ms") { count, context in
                let store = try await SQLiteStoreRows.filledStore(count, in: context)
                let past = Date(timeIntervalSinceNow: -60)
                try await SQLiteStoreRows.insert(2_000_000..<2_001_000, into: store, retainedUntil: past)
                return try await milliseconds {
                    guard try await store.sweep(expiredBefore: Date()) == 1_000 else {
                        throw BenchmarkFailure("The sweep did not remove 1,000 sessions.")
                    }
                }
            },
            row("rotation", "Sealing each session under a new key, while four callers read", "µs for each") {
                try await rotation($0, $1)
            },
        ]
    }

    /// Rotates the store from the key that the other rows use to a new key, and back.
    private static func rotation(_ count: Int, _ context: Context) async throws -> Double {
        await (try SQLiteStoreRows.filledStore(count, in: context)).close()
        let old = try storeKey(9)
        let new = try storeKey(10)
        var milliseconds = 0.0
        for (active, readOnly) in [(new, old), (old, new)] {
            let path = "\(context.folder)/rows-\(count).sqlite"
            let store = try await SQLiteStore.open(.init(path: path, key: active, readOnlyKeys: [readOnly]))
            milliseconds += try await self.milliseconds { try await reseal(count, store) }
            await store.close()
        }
        return milliseconds * 1_000 / Double(2 * count)
    }

    private static func reseal(_ count: Int, _ store: SQLiteStore) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for reader in 0..<4 {
                group.addTask {
                    var number = reader
                    while !Task.isCancelled {
                        guard try await store.session(try SQLiteStoreRows.session(number % count).id) != nil else {
                            throw BenchmarkFailure("A session is missing.")
                        }
                        number += 7_919
                    }
                }
            }
            var resealed = 0
            var position: ResealPosition?
            repeat {
                let progress = try await store.resealRows(after: position, limit: 100)
                resealed += progress.resealed
                position = progress.position
            } while position != nil
            group.cancelAll()
            // A reader that is cancelled during a call throws the cancellation.
            do { try await group.waitForAll() } catch let error as IdentityError where error.kind == .cancelled {}
            guard resealed == count else {
                throw BenchmarkFailure("\(resealed) of \(count) sessions were sealed under the new key.")
            }
        }
    }

    private static func configure(_ count: Int) throws -> (microseconds: Double, kilobytes: Double) {
        let environment = IdentityEnvironment(transport: try CurlTransport())
        let before = ResidentMemory.megabytes
        let clock = ContinuousClock()
        let start = clock.now
        let providers = try (0..<count).map { number in
            var configuration = ShopifyProvider.Configuration(
                name: "shop-\(number)",
                shopDomain: "shop-\(number).myshopify.com",
                clientID: "client-\(number)",
                client: .confidential(Secret("secret-\(number)"))
            )
            configuration.redirectURI = "https://app.example/auth/callback/shop-\(number)"
            return try ShopifyProvider(configuration, environment: environment)
        }
        let registry = try ProviderRegistry(providers)
        let microseconds = (clock.now - start) / .microseconds(1) / Double(count)
        let megabytes = ResidentMemory.megabytes - before
        return withExtendedLifetime(registry) { (microseconds, megabytes * 1_000 / Double(count)) }
    }

    private static func storeKey(_ byte: UInt8) throws -> StoreKey {
        try StoreKey(bytes: Secret(bytes: [UInt8](repeating: byte, count: StoreKey.byteCount)))
    }

    private static func milliseconds(of count: Int = 1, _ body: () async throws -> Void) async throws -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        for _ in 0..<count { try await body() }
        return (clock.now - start) / .milliseconds(1) / Double(count)
    }
}
