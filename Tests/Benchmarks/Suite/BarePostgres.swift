#if PostgreSQL
internal import BenchmarkLogins
internal import CIdentityPostgres
internal import IdentityCrypto

/// Saves and reads of rows through libpq alone, for comparison with `PostgresStore`.
///
/// It uses one connection and prepared statements. The size of the rows and the cipher are those of the store.
@safe
final class BarePostgres {
    private let connection: OpaquePointer
    private let key = SecretBytes([UInt8](repeating: 3, count: AESGCM.keyCount))
    private let nonce = [UInt8](repeating: 7, count: AESGCM.nonceCount)
    private let slot: Int

    init(_ server: String, slot: Int) throws {
        self.slot = slot
        guard let connection = unsafe PQconnectdb(server) else { throw BenchmarkFailure("libpq has no memory.") }
        unsafe self.connection = connection
        unsafe identity_postgres_silence(connection)
        try execute(
            """
            CREATE TABLE IF NOT EXISTS bare (
                key bigint PRIMARY KEY, hash bytea NOT NULL, generation bigint NOT NULL, slot bytea NOT NULL
            ) WITH (fillfactor = 80);
            ALTER TABLE bare ALTER slot SET STORAGE EXTERNAL
            """
        )
        try prepare("save", "UPDATE bare SET generation = generation + 1, slot = $2 WHERE key = $1")
        try prepare(
            "add",
            "INSERT INTO bare VALUES ($1, decode(repeat('ab', 32), 'hex'), 1, $2) ON CONFLICT DO NOTHING"
        )
        try prepare("read", "SELECT generation, slot FROM bare WHERE key = $1")
    }

    deinit { unsafe PQfinish(connection) }

    func fill(_ count: Int, _ body: [UInt8]) throws {
        try execute("BEGIN")
        for row in 0..<count { try unsafe run("add", Int64(row), seal(body)) { _ in } }
        try execute("COMMIT")
    }

    func save(_ row: Int64, _ body: [UInt8]) throws {
        try unsafe run("save", row, seal(body)) { _ in }
    }

    func read(_ row: Int64) throws -> Int {
        let record = try unsafe run("read", row) { result in
            guard unsafe PQntuples(result) == 1, let start = unsafe PQgetvalue(result, 0, 1) else {
                throw BenchmarkFailure("A row is missing.")
            }
            return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, 0, 1))))
        }
        return try AESGCM.open(record[...], key: key, nonce: nonce, associatedData: [1, 2, 3]).count
    }

    private func seal(_ body: [UInt8]) throws -> [UInt8] {
        let plaintext = body + [UInt8](repeating: 0, count: slot - AESGCM.tagCount - body.count)
        return try AESGCM.seal(plaintext, key: key, nonce: nonce, associatedData: [1, 2, 3])
    }

    private func execute(_ sql: String) throws {
        try unsafe check(PQexec(connection, sql)) { _ in }
    }

    private func prepare(_ name: String, _ sql: String) throws {
        try unsafe check(PQprepare(connection, name, sql, 0, nil)) { _ in }
    }

    private func run<Value>(
        _ statement: String,
        _ row: Int64,
        _ slot: [UInt8]? = nil,
        _ body: (OpaquePointer) throws -> Value
    ) throws -> Value {
        let count: Int32 = slot == nil ? 1 : 2
        let bytes = unsafe withUnsafeBytes(of: row.bigEndian) { unsafe [UInt8]($0) }
        let result = unsafe bytes.withUnsafeBytes { row in
            unsafe (slot ?? []).withUnsafeBytes { slot in
                let values = unsafe [row, slot].map { unsafe $0.baseAddress?.assumingMemoryBound(to: CChar.self) }
                let lengths = [Int32(row.count), Int32(slot.count)]
                return unsafe PQexecPrepared(connection, statement, count, values, lengths, [1, 1], 1)
            }
        }
        return try unsafe check(result, body)
    }

    private func check<Value>(_ result: OpaquePointer?, _ body: (OpaquePointer) throws -> Value) throws -> Value {
        defer { unsafe PQclear(result) }
        guard let result = unsafe result, [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(unsafe PQresultStatus(result))
        else { throw BenchmarkFailure(unsafe String(cString: PQerrorMessage(connection))) }
        return try unsafe body(result)
    }
}
#endif
