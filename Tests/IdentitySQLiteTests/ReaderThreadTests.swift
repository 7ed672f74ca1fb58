import IdentityKit
import Testing

@testable import IdentitySQLite

@Suite("The reader's thread", .timeLimit(.minutes(1)))
struct ReaderThreadTests {
    @Test("SQLite checks the structure of the file on another thread, so other reads do not wait for it")
    func integrityCheck() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open()
        try await store.insert(sampleSession())
        await store.database.reader.close()
        #expect(try await store.database.problems(in: store.location).isEmpty)
        let page = try directory.connection().texts("SELECT rootpage FROM sqlite_schema WHERE name = 'session_buyer'")
        let start = (try #require(page.first.flatMap { Int($0) }) - 1) * 8_192
        var bytes = try directory.contents(directory.database)
        for index in start + 8_000..<start + 8_192 { bytes[index] ^= 1 }
        try directory.overwrite(bytes)
        #expect(try await !store.database.problems(in: store.location).isEmpty)
    }
}
