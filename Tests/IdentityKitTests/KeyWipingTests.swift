import FoundationEssentials
import Glibc
import IdentityCrypto
import IdentityKit
import Testing

@Suite("Keys in memory", .serialized)
struct KeyWipingTests {
    /// How often bytes stand in this process's memory, outside of the needle itself.
    ///
    /// The needle is given inverted, so that looking for it does not put it there.
    private static func occurrences(ofInverted needle: [UInt8]) throws -> Int {
        let maps = String(decoding: try contents(of: "/proc/self/maps"), as: UTF8.self)
        let memory = unsafe open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        try #require(memory >= 0)
        defer { close(memory) }
        var count = 0
        var room = [UInt8](repeating: 0, count: 1 << 20)
        for line in maps.split(separator: "\n") where line.contains(" rw") {
            let range = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt64($0, radix: 16) }
            guard range.count == 2 else { continue }
            var address = range[0]
            while address < range[1] {
                let length = Int(min(UInt64(room.count), range[1] - address))
                let got = unsafe pread(memory, &room, length, off_t(address))
                guard got > 0 else { break }
                count += matches(room[..<got], needle)
                guard got > needle.count else { break }
                // Pieces overlap, so that nothing hides at a seam.
                address += UInt64(got == length && address + UInt64(got) < range[1] ? got - needle.count : got)
            }
            // What was read of the secret must not be found in the room.
            for index in room.indices { room[index] = 0 }
        }
        return count
    }

    private static func matches(_ bytes: ArraySlice<UInt8>, _ needle: [UInt8]) -> Int {
        guard bytes.count >= needle.count else { return 0 }
        var count = 0
        unsafe bytes.withUnsafeBufferPointer { bytes in
            let first = ~needle[0]
            for start in 0...(bytes.count - needle.count) where unsafe bytes[start] == first {
                var index = 1
                while index < needle.count, unsafe bytes[start + index] == ~needle[index] { index += 1 }
                if index == needle.count { count += 1 }
            }
        }
        return count
    }

    private static func contents(of path: String) throws -> [UInt8] {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        try #require(file >= 0)
        defer { close(file) }
        var bytes: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let got = unsafe read(file, &room, room.count)
            guard got > 0 else { return bytes }
            bytes += room[..<got]
        }
    }

    /// Writes what is given inverted to a file, byte by byte, so that it is nowhere in memory.
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

    @Test("a key from a file, and the keys of the rows that it sealed, are nowhere in memory once it is gone")
    func gone() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "key-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        // The key itself stands nowhere but in the file: here it is known inverted.
        let key = try SecureRandom.bytes(32)
        var digits: [UInt8] = []
        for byte in key {
            for nibble in [~byte >> 4, ~byte & 15] {
                let digit: UInt8 = nibble < 10 ? 0x30 + nibble : 0x57 + nibble
                digits.append(~digit)
            }
        }
        try Self.write(inverted: digits, to: path)
        var keys: StoreKeys? = try await ReferencedKeys(.file(path)).keys()
        let whileThere = try Self.occurrences(ofInverted: key)
        #expect(whileThere == 1)
        do {
            let ring = KeyRing(active: try #require(keys).active)
            let sealer = RecordSealer(keys: ring, storeID: Array(repeating: 7, count: 16), schemaVersion: 1)
            let identity = RecordIdentity(.session, row: Array(repeating: 3, count: 32))
            for _ in 0..<3 { _ = try sealer.open(try sealer.seal([1, 2, 3], as: identity), as: identity) }
        }
        keys = nil
        #expect(try Self.occurrences(ofInverted: key) == 0)
        #expect(try Self.occurrences(ofInverted: digits) == 0)
    }
}
