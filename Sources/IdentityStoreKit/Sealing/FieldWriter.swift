/// Writes each byte string and text after its length, so that different lists of fields have different bytes.
package struct FieldWriter {
    package private(set) var bytes: [UInt8] = []

    package init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    package mutating func append(_ field: some Collection<UInt8>) {
        // No field has 4 GiB, so a length always fits.
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
