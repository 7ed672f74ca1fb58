import Foundation
import IdentityKit
import IdentityStoreKit
import IdentityTesting
import Synchronization
import Testing

/// This target uses only what a package of yours can use: no `@testable`, and nothing of `package` access.
@Suite("The store of the guide \"A store of your own\"")
struct StoreOfYourOwnTests {
    @Test("the store passes each case of the conformance suite that applies to it", arguments: StoreConformance.cases)
    func conformance(_ testCase: StoreConformance.Case) async throws {
        let database = Dictionaries()
        let key = try StoreKey(hexadecimal: Secret(String(repeating: "5a", count: 32)))
        try await testCase.run(
            on: StoreUnderTest([.reopening, .keys]) { damage in
                try Self.make(damage, in: database, keys: StoreKeys(active: key))
            } open: { options in
                try DictionaryStore(
                    database,
                    keys: StoreKeys(active: options.key ?? key, readOnly: options.readOnlyKeys)
                )
            }
        )
    }

    /// Changes one bit of a stored record, or assigns an attachment to another session, as a faulty disk could.
    private static func make(
        _ damage: StoreUnderTest.Damage,
        in database: Dictionaries,
        keys: StoreKeys
    ) throws -> Bool {
        try database.content.withLock { content in
            // The hash of an id depends on the lookup key in the header, which stays the same when the store key changes.
            guard let records = try? content.header?.records(openedWith: keys) else { return false }
            switch damage {
            case .session(let id): content.sessions[try records.hash(of: id)]?.record[100] ^= 1
            case .attachment(let name, let id):
                content.attachments[try records.hash(ofAttachment: name, of: id)]?.record[100] ^= 1
            case .attachmentOwner(let name, let id, let other):
                content.attachments[try records.hash(ofAttachment: name, of: id)]?.session = try records.hash(of: other)
            }
            return true
        }
    }

    @Test("the store contains no session id, subject or token in plain text")
    func sealed() async throws {
        let database = Dictionaries()
        let key = try StoreKey(hexadecimal: Secret(String(repeating: "5a", count: 32)))
        let store = try DictionaryStore(database, keys: StoreKeys(active: key))
        let id = try #require(SessionID(rawValue: String(repeating: "A", count: 22)))
        try await store.insert(
            StoredSession(
                id: id,
                provider: "shopify",
                tenant: "",
                issuer: "https://id.example",
                subject: "buyer-1",
                createdAt: Date(),
                retainedUntil: Date() + 3_600,
                payload: Secret("the tokens")
            )
        )
        let row = try #require(database.content.withLock { $0.sessions.values.first })
        for text in [id.rawValue, "buyer-1", "the tokens"] {
            #expect(Data(row.bytes).range(of: Data(text.utf8)) == nil)
        }
        let copy = try #require(SealedSession(bytes: row.bytes))
        #expect(try store.records.open(copy, of: id).payload.reveal() == "the tokens")
    }
}
