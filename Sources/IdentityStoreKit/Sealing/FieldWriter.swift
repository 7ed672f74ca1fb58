/// Writes fields each behind its length, so that no two lists of fields are the same bytes.
package struct FieldWriter {
    package private(set) var bytes: [UInt8] = []

    package init(capacity: Int = 0) {
        bytes.reserveCapacity(capacity)
    }

    package mutating func append(_ field: some Collection<UInt8>) {
        // A field of 4 GiB does not fit any record; cut lengths cannot collide below that.
        append(UInt32(truncatingIfNeeded: field.count))
        bytes.append(contentsOf: field)
    }

    package mutating func append(_ field: String) {
        append(field.utf8)
    }

    package mutating func append(_ value: some FixedWidthInteger) {
        let count = value.bitWidth / 8
        for index in 0..<count {
            bytes.append(UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - index))))
        }
    }
}
