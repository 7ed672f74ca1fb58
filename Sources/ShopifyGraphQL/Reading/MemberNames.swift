enum MemberNames {
    /// With at least this many names, hashes are compared, because a comparison of all pairs takes quadratic time.
    private static let manyNames = 24

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
        // Hashes have a random seed in each process, so that an attacker cannot cause collisions.
        var known: [Int: TapeEntry] = [:]
        known.reserveCapacity(names.count)
        for name in names {
            guard let other = known.updateValue(name, forKey: hash(name, bytes, decoded)) else { continue }
            if isSame(name, other, bytes, decoded) { return true }
            // Two different names have the same hash, which is very unlikely. So all names are compared with each other.
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
