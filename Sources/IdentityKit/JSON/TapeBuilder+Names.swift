extension TapeBuilder {
    /// From this number of names on, hashes are compared, because a comparison of all pairs takes quadratic time.
    private static let manyNames = 24

    /// Whether the innermost object has no member of this name yet.
    mutating func isNew(_ name: TapeEntry, _ bytes: Span<UInt8>) -> Bool {
        let count = entries[innermost].length
        if count >= Self.manyNames {
            if count == Self.manyNames { hashNames(bytes) }
            if hashes.insert(hash(name, bytes)).inserted { return true }
            // The name is a duplicate, or two different names have the same hash, which is very unlikely.
        }
        // Local variables, because a span of `self.decoded` would copy the whole builder.
        let (entries, decoded) = (entries, decoded)
        var place = innermost + 1
        while place < entries.count {
            if Self.isSame(entries[place], name, bytes, decoded.span) { return false }
            place = Self.place(after: place, in: entries)
        }
        return true
    }

    private static func place(after name: Int, in entries: [TapeEntry]) -> Int {
        let value = entries[name + 1]
        return value.isContainer ? value.place : name + 2
    }

    private mutating func hashNames(_ bytes: Span<UInt8>) {
        var place = innermost + 1
        while place < entries.count {
            hashes.insert(hash(entries[place], bytes))
            place = Self.place(after: place, in: entries)
        }
    }

    /// Hashes a name together with its object; the seed is random in each process, so that an attacker cannot cause collisions.
    private func hash(_ name: TapeEntry, _ bytes: Span<UInt8>) -> Int {
        let decoded = decoded
        let text = (name.kind == .text ? bytes : decoded.span).extracting(name.place..<name.place + name.length)
        var hasher = Hasher()
        hasher.combine(innermost)
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
        return first.extracting(left.place..<left.place + left.length)
            .isEqual(to: second.extracting(right.place..<right.place + right.length))
    }
}
