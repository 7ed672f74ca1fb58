#if PostgreSQL
import FoundationEssentials
import IdentityCrypto
import IdentityKit
import IdentityStoreKit
import Synchronization
import TestPostgres
import Testing

@testable import IdentityPostgres

/// The separate schema and key of one test.
struct TestSchema: Sendable {
    let server: TestPostgresServer
    let name: String
    let key: StoreKey

    init(on server: TestPostgresServer? = nil) async throws {
        if let server { self.server = server } else { self.server = try await TestPostgresServer.shared }
        let bytes = try SecureRandom.bytes(8)
        name = "t" + Hexadecimal.encode(bytes)
        key = try Self.key()
    }

    static func key() throws -> StoreKey {
        try StoreKey(bytes: Secret(bytes: SecureRandom.bytes(32)))
    }

    func configuration(
        _ change: (inout PostgresStore.Configuration) -> Void = { _ in }
    ) -> PostgresStore.Configuration {
        var configuration = PostgresStore.Configuration(connection: server.local(), key: key)
        configuration.schema = name
        configuration.maximumConnections = 4
        // Long timeouts, because the machine may be busy; tests of limits set their own.
        configuration.callLimit = .seconds(30)
        configuration.connectLimit = .seconds(30)
        change(&configuration)
        return configuration
    }

    func open(
        _ change: (inout PostgresStore.Configuration) -> Void = { _ in }
    ) async throws -> PostgresStore {
        try await PostgresStore.open(configuration(change))
    }

    /// Waits until a statement for this schema waits for a lock; `store` runs the query that finds this out.
    func waitForBlockedStatement(in store: PostgresStore) async throws {
        let blocked = """
            SELECT FROM pg_stat_activity
            WHERE wait_event_type = 'Lock' AND query LIKE '%' || convert_from($1, 'UTF8') || '%'
            """
        while try await store.execute(blocked, .text(name)).isEmpty {
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}

extension PostgresStore {
    /// Runs SQL on the store's own connections, as an administrator would; `§` stands for the schema.
    @discardableResult
    func execute(_ text: String, _ values: Value...) async throws -> Rows {
        let types = values.map { value -> ParameterType in
            switch value {
            case .integer: .integer
            case .real: .real
            case .flag: .flag
            case .bytes, .null: .bytes
            }
        }
        do {
            return try await client.perform(sql.rare(text, types), values, needsWriting: true, by: client.deadline)
        } catch {
            throw error.identityError
        }
    }
}

final class Flag: Sendable {
    private let state = Mutex(false)

    var isRaised: Bool { state.withLock { $0 } }

    func raise() { state.withLock { $0 = true } }

    /// Lowers the flag and returns whether it was raised.
    func lower() -> Bool {
        state.withLock { state in
            defer { state = false }
            return state
        }
    }
}
#endif
