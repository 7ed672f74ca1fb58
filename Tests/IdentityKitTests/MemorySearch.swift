import Glibc
import Testing

/// Searches this process's memory, also freed memory, for bytes.
///
/// The initializer allocates the buffers, because a later allocation could overwrite the bytes to find.
final class MemorySearch {
    private var maps = [UInt8](repeating: 0, count: 1 << 20)
    private var room = [UInt8](repeating: 0, count: 1 << 20)

    /// Counts the occurrences of bytes; `needle` contains the inverted bytes, so that the search itself does not put the bytes into memory.
    func occurrences(ofInverted needle: [UInt8]) throws -> Int {
        let length = try readMaps()
        let memory = unsafe open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        try #require(memory >= 0)
        defer { close(memory) }
        var count = 0
        var position = 0
        while position < length {
            let start = number(&position)
            position += 1
            let end = number(&position)
            // "start-end rw-p …"
            let isWritable = maps[position + 1] == UInt8(ascii: "r") && maps[position + 2] == UInt8(ascii: "w")
            while position < length, maps[position] != 0x0A { position += 1 }
            position += 1
            if isWritable { count += search(memory, start, end, needle) }
        }
        return count
    }

    private func search(_ memory: Int32, _ start: UInt64, _ end: UInt64, _ needle: [UInt8]) -> Int {
        var count = 0
        var address = start
        while address < end {
            let length = Int(min(UInt64(room.count), end - address))
            let got = unsafe pread(memory, &room, length, off_t(address))
            guard got >= needle.count else { return count }
            count += matches(got, needle)
            // Skip the search's own buffers.
            _ = unsafe room.withUnsafeMutableBytes { unsafe $0.initializeMemory(as: UInt8.self, repeating: 0) }
            guard address + UInt64(got) < end else { return count }
            // Chunks overlap, so that a match across a boundary is found.
            address += UInt64(got - needle.count + 1)
        }
        return count
    }

    private func matches(_ length: Int, _ needle: [UInt8]) -> Int {
        // Most memory is zero, so search for a byte that is not zero first.
        let pivot = needle.firstIndex { $0 != 0xFF } ?? 0
        var count = 0
        unsafe room.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            var position = pivot
            let end = length - needle.count + pivot + 1
            while position < end {
                let found = unsafe memchr(base + position, Int32(~needle[pivot]), end - position)
                guard let found = unsafe found else { return }
                position = unsafe UnsafeRawPointer(found) - base + 1
                let start = position - 1 - pivot
                var index = 0
                while index < needle.count, unsafe bytes[start + index] == ~needle[index] { index += 1 }
                if index == needle.count { count += 1 }
            }
        }
        return count
    }

    private func number(_ position: inout Int) -> UInt64 {
        var value: UInt64 = 0
        while true {
            switch maps[position] {
            case let digit where (0x30...0x39).contains(digit): value = value << 4 | UInt64(digit - 0x30)
            case let digit where (0x61...0x66).contains(digit): value = value << 4 | UInt64(digit - 0x57)
            default: return value
            }
            position += 1
        }
    }

    private func readMaps() throws -> Int {
        let file = unsafe open("/proc/self/maps", O_RDONLY | O_CLOEXEC)
        try #require(file >= 0)
        defer { close(file) }
        var length = 0
        while length < maps.count {
            let limit = maps.count - length
            let got = unsafe maps.withUnsafeMutableBytes {
                unsafe read(file, $0.baseAddress?.advanced(by: length), limit)
            }
            guard got > 0 else { break }
            length += got
        }
        return length
    }
}
