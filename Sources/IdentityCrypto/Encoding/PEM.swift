/// Reads the textual encoding of keys (RFC 7468): exactly one block.
package enum PEM {
    /// Decodes the block; nil unless the text is one block with this label (such as `PRIVATE KEY`), perhaps surrounded by white space.
    package static func decode(_ text: [UInt8], label: String) -> [UInt8]? {
        let isBlank = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        var rest = text.drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        let (begin, end) = ("-----BEGIN \(label)-----".utf8, "-----END \(label)-----".utf8)
        guard rest.starts(with: begin) else { return nil }
        rest = rest.dropFirst(begin.count)
        guard rest.suffix(end.count).elementsEqual(end) else { return nil }
        return Base64.decode(String(decoding: rest.dropLast(end.count).filter { !isBlank($0) }, as: UTF8.self))
    }
}
