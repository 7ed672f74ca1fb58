import FoundationEssentials
import IdentityKit
import Testing

@testable import IdentitySQLite

@Suite("Used tokens in a file")
struct UsedTokenTests {
    private let moment = Date(timeIntervalSince1970: 1_790_000_000)

    @Test("are known after a restart, and stand there as keyed hashes only")
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

    @Test("that expire first make room, and never the one that is asked about")
    func cap() async throws {
        let directory = try StoreDirectory()
        let store = try await directory.open { $0.maximumAttempts = 2 }
        for (key, age) in [("late", 30.0), ("early", 10), ("middle", 20)] {
            #expect(try await store.markUsed(key, until: moment + age))
        }
        #expect(try await !store.isUsed("early"))
        #expect(try await !store.markUsed("middle", until: moment))
        #expect(try await store.isUsed("middle"))
        #expect(try await store.isUsed("late"))
    }
}
