/// Makes untrusted text safe for one line of output.
enum PlainText {
    /// The text with one space in place of adjacent control characters and direction marks, cut to 300 characters.
    static func line(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if !scalar.isControl {
                result.unicodeScalars.append(scalar)
            } else if result.last != " " {
                result += " "
            }
        }
        let isLong = result.unicodeScalars.count > 300
        return isLong ? String(result.unicodeScalars.prefix(299)) + "…" : result
    }

    /// The text with a space in place of each control character and direction mark, and without spaces around it.
    static func plain(_ text: String) -> String {
        var result = String(String.UnicodeScalarView(text.unicodeScalars.map { $0.isControl ? " " : $0 }))
        while result.last == " " { result.removeLast() }
        return String(result.drop { $0 == " " })
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
