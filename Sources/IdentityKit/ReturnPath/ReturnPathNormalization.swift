internal import IdentityHTTP

/// Normalizes the path of a return path, and refuses a path, query or fragment that a program could misread.
///
/// The functions expect parts of an `HTTPURL`: ASCII with well-formed percent escapes.
enum ReturnPathNormalization {
    /// The path without dot segments and unnecessary escapes (RFC 3986 section 6.2.2).
    ///
    /// Nil if the path goes above the root, or contains an escaped control character or invalid UTF-8. Also nil if a program that decodes
    /// the path again or removes segments could read a part of the path as a host name.
    static func path(_ text: String) -> String? {
        guard let bytes = withoutNeedlessEscapes(Array(text.utf8)) else { return nil }
        var segments: [ArraySlice<UInt8>] = []
        let given = bytes.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for (index, segment) in given.enumerated() {
            let isLast = index == given.count - 1
            if segment.elementsEqual("..".utf8) {
                // Programs treat a path that goes above the root in different ways, and no app needs such a path.
                guard segments.popLast() != nil else { return nil }
                if isLast { segments.append([]) }
            } else if segment.elementsEqual(".".utf8) {
                if isLast { segments.append([]) }
            } else {
                // If a program removed the segments before two slashes in a row, the path would begin with these slashes, and a browser
                // would read the next segment as a host name.
                guard !segment.isEmpty || isLast else { return nil }
                segments.append(segment)
            }
        }
        return segments.reduce(into: "") { $0 += "/" + String(decoding: $1, as: UTF8.self) }
    }

    /// Whether a query or fragment has no escaped control characters, which could start a header line after a program decodes them.
    static func isHarmless(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.indices.allSatisfy { index in
            bytes[index] != UInt8(ascii: "%") || (escaped(at: index, in: bytes).map { !isControl($0) } ?? false)
        }
    }

    /// The path with escapes in upper case and unreserved characters unescaped.
    ///
    /// Nil if escapes contain invalid UTF-8, a control character, a percent sign, a slash, a backslash, or a lookalike of the last two.
    private static func withoutNeedlessEscapes(_ bytes: [UInt8]) -> [UInt8]? {
        var output: [UInt8] = []
        var decoded: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            guard bytes[index] == UInt8(ascii: "%") else {
                output.append(bytes[index])
                decoded.append(bytes[index])
                index += 1
                continue
            }
            guard let byte = escaped(at: index, in: bytes), !isControl(byte), !#"/\%"#.utf8.contains(byte) else {
                return nil
            }
            FormEncoding.appendEscaped(byte, to: &output)
            decoded.append(byte)
            index += 3
        }
        // Invalid UTF-8 is refused, because some programs decode an overlong encoding of a slash as a slash.
        guard let text = String(validating: decoded, as: UTF8.self),
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

    /// Whether Unicode compatibility normalization or a conversion to a legacy character set may turn the character into a slash.
    private static func isSlashLookalike(_ scalar: UnicodeScalar) -> Bool {
        [0x2044, 0x2215, 0x2216, 0x29F5, 0x29F8, 0x29F9, 0xFE68, 0xFF0F, 0xFF3C].contains(scalar.value)
    }
}
