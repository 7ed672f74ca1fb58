import FoundationEssentials
import IdentityKit
import TestStores
import Testing

@testable import IdentitySQLite

@Suite("Used tokens in a file")
struct UsedTokenTests {
    private let moment = Date(timeIntervalSince1970: 1_790_000_000)

    @Test("used tokens are known after a restart, and stored only as keyed hashes")
    func restart() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open()
        #expect(try await store.markUsed("name of a token", until: moment))
        var session = try sampleSession()
        session.providerSessionID = "name of a session"
        try await store.insert(session)
        await store.close()
        let again = try await directory.open()
        #expect(try await again.isUsed("name of a token"))
        #expect(try await !again.markUsed("name of a token", until: moment))
        let file = try directory.contents(directory.database)
        for name in ["name of a token", "name of a session"] { #expect(!file.contains(Array(name.utf8))) }
    }
}
