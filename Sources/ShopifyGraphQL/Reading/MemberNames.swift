/// Whether an object says something twice.
enum MemberNames {
    /// From this many names on they are hashed: a hostile object must not cost quadratic time.
    private static let manyNames = 24

    /// Whether two of the names are the same bytes.
    static func hasTwins(_ names: ArraySlice<TapeEntry>, _ bytes: Span<UInt8>, _ decoded: Span<UInt8>) -> Bool {
        guard names.count < manyNames else { return hasTwinsAmongMany(names, bytes, decoded) }
        var index = names.startIndex
        while index < names.endIndex {
            var other = names.startIndex
            while other < index {
                if isSame(names[index], names[other], bytes, decoded) { return true }
                other += 1
            }
            index += 1
        }
        return false
    }

    private static func hasTwinsAmongMany(
        _ names: ArraySlice<TapeEntry>,
        _ bytes: Span<UInt8>,
        _ decoded: Span<UInt8>
    ) -> Bool {
        // Hashes are seeded anew in each process, so that nobody outside can make them meet. Where they do, it is by a twin.
        var known: [Int: TapeEntry] = [:]
        known.reserveCapacity(names.count)
        for name in names {
            guard let other = known.updateValue(name, forKey: hash(name, bytes, decoded)) else { continue }
            if isSame(name, other, bytes, decoded) { return true }
            // Two names with one hash of 64 bits: never seen, and then everything is compared.
            return names.indices.contains { index in
                names[names.startIndex..<index].contains { isSame($0, names[index], bytes, decoded) }
            }
        }
        return false
    }

    private static func hash(_ name: TapeEntry, _ bytes: Span<UInt8>, _ decoded: Span<UInt8>) -> Int {
        let text = (name.kind == .text ? bytes : decoded).extracting(name.place..<name.place + name.length)
        var hasher = Hasher()
        unsafe text.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        return hasher.finalize()
    }

    private static func isSame(
        _ left: TapeEntry,
        _ right: TapeEntry,
        _ bytes: Span<UInt8>,
        _ decoded: Span<UInt8>
    ) -> Bool {
        guard left.length == right.length else { return false }
        let first = left.kind == .text ? bytes : decoded
        let second = right.kind == .text ? bytes : decoded
        for offset in 0..<left.length where first[left.place + offset] != second[right.place + offset] { return false }
        return true
    }
}
