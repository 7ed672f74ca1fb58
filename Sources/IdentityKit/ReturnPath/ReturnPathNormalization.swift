internal import IdentityHTTP

/// Brings the parts of a return path into the one form that all programs read alike, or gives up.
///
/// The texts come out of `HTTPURL`, so they are ASCII with well-formed escapes.
enum ReturnPathNormalization {
    /// The path without dot segments and needless escapes (RFC 3986 section 6.2.2); nil when a program that decodes it once more,
    /// removes slashes from it or puts it behind another path could find a host in it.
    static func path(_ text: String) -> String? {
        guard let bytes = withoutNeedlessEscapes(Array(text.utf8)) else { return nil }
        var segments: [ArraySlice<UInt8>] = []
        let given = bytes.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for (index, segment) in given.enumerated() {
            let isLast = index == given.count - 1
            if segment.elementsEqual("..".utf8) {
                // Above the top there is nothing for an honest path to look for.
                guard segments.popLast() != nil else { return nil }
                if isLast { segments.append([]) }
            } else if segment.elementsEqual(".".utf8) {
                if isLast { segments.append([]) }
            } else {
                // An empty segment is harmless in its place, and begins a host once what stands before it is gone.
                guard !segment.isEmpty || isLast else { return nil }
                segments.append(segment)
            }
        }
        return segments.reduce(into: "") { $0 += "/" + String(decoding: $1, as: UTF8.self) }
    }

    /// Whether no escape of a query or fragment hides a control character from whoever decodes it into a header.
    static func isHarmless(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.indices.allSatisfy { index in
            bytes[index] != UInt8(ascii: "%") || (escaped(at: index, in: bytes).map { !isControl($0) } ?? false)
        }
    }

    /// The path with its escapes in upper case, those of unreserved characters undone; nil where one hides what has a meaning of its own.
    private static func withoutNeedlessEscapes(_ bytes: [UInt8]) -> [UInt8]? {
        var output: [UInt8] = []
        var meant: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            guard bytes[index] == UInt8(ascii: "%") else {
                output.append(bytes[index])
                meant.append(bytes[index])
                index += 1
                continue
            }
            guard let byte = escaped(at: index, in: bytes), !isControl(byte), !#"/\%"#.utf8.contains(byte) else {
                return nil
            }
            FormEncoding.appendEscaped(byte, to: &output)
            meant.append(byte)
            index += 3
        }
        // Bytes that are no UTF-8 are an overlong slash to some programs.
        guard let text = String(validating: meant, as: UTF8.self),
            !text.unicodeScalars.contains(where: isSlashLookalike)
        else { return nil }
        return output
    }

    private static func escaped(at index: Int, in bytes: [UInt8]) -> UInt8? {
        guard bytes.count - index > 2, let high = ASCII.hexValue(bytes[index + 1]),
            let low = ASCII.hexValue(bytes[index + 2])
        else { return nil }
        return high << 4 | low
    }

    private static func isControl(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x7F
    }

    /// Whether compatibility normalisation or a conversion to an older character set may turn the letter into a slash.
    private static func isSlashLookalike(_ scalar: UnicodeScalar) -> Bool {
        [0x2044, 0x2215, 0x2216, 0x29F5, 0x29F8, 0x29F9, 0xFE68, 0xFF0F, 0xFF3C].contains(scalar.value)
    }
}
