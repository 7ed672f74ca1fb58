import FoundationEssentials
import Glibc
import IdentityCrypto
import IdentityKit
import IdentityStoreKit
import TestDirectories
import Testing

@Suite("Keys in memory", .serialized)
struct KeyWipingTests {
    /// Inverts bytes one by one and writes them to a file, so that memory never contains the plain key as a whole.
    private static func write(inverted bytes: [UInt8], to path: String) throws {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        defer { close(file) }
        for byte in bytes {
            var plain = ~byte
            let written = unsafe Glibc.write(file, &plain, 1)
            try #require(written == 1)
        }
    }

    @Test("a store key that was read from a file, and its digits, are wiped from memory after use")
    func gone() async throws {
        let directory = try TemporaryDirectory("key")
        defer { directory.remove() }
        let path = directory.path(of: "key")
        // Only the file contains the plain key; this process keeps it inverted.
        let key = try SecureRandom.bytes(32)
        var digits: [UInt8] = []
        for byte in key {
            for nibble in [~byte >> 4, ~byte & 15] {
                let digit: UInt8 = nibble < 10 ? 0x30 + nibble : 0x57 + nibble
                digits.append(~digit)
            }
        }
        try Self.write(inverted: digits, to: path)
        let search = MemorySearch()
        // Read the key 64 times, because a later allocation may overwrite a copy that was left in freed memory.
        var keys: StoreKeys? = try await ReferencedKeys(
            .file(path),
            readOnly: Array(repeating: .file(path), count: 63)
        ).keys()
        #expect(try search.occurrences(ofInverted: key) > 0)
        #expect(try search.occurrences(ofInverted: digits) == 0)
        do {
            let ring = StoreKeys(active: try #require(keys).active)
            let storeID = [UInt8](repeating: 7, count: 16)
            let sealer = RecordSealer(keys: ring, storeID: storeID, schemaVersion: 1, slotSize: 512)
            let identity = RecordFields(.session, row: Array(repeating: 3, count: 32))
            for _ in 0..<3 { _ = try sealer.open(try sealer.seal([1, 2, 3], as: identity), as: identity) }
        }
        keys = nil
        #expect(try search.occurrences(ofInverted: key) == 0)
    }

    @Test("the memory search of these tests finds freed memory that was not wiped")
    func control() throws {
        let search = MemorySearch()
        var found = 0
        // Other tests may overwrite the freed memory before it is searched.
        for _ in 0..<20 where found == 0 {
            let inverted = try SecureRandom.bytes(32)
            var secret: Secret? = Secret(bytes: inverted.map { ~$0 })
            var copies = (0..<64).map { _ in secret?.revealBytes() ?? [] }
            #expect(copies.count == 64)
            copies = []
            secret = nil
            found = try search.occurrences(ofInverted: inverted)
        }
        #expect(found > 0)
    }
}
