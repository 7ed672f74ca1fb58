/// Resolves a `Location` as a browser does (URL standard), independently of the code under test.
enum Browser {
    /// Whether the browser stays at the app or goes to the one allowed origin.
    static func isAtHome(_ location: String) -> Bool {
        // A browser trims control characters and spaces at both ends, removes tabs and line ends, and reads a backslash as a slash.
        var scalars = Array(location.unicodeScalars)
        while let first = scalars.first, first.value <= 0x20 { scalars.removeFirst() }
        while let last = scalars.last, last.value <= 0x20 { scalars.removeLast() }
        scalars.removeAll { $0 == "\t" || $0 == "\r" || $0 == "\n" }
        let text = scalars.map { $0 == "\\" ? "/" : String($0) }.joined()
        if text.hasPrefix("//") { return false }
        guard let colon = text.firstIndex(of: ":"), let first = text.first, first.isASCII, first.isLetter,
            text[..<colon].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
        else { return true }
        let rest = text[text.index(after: colon)...].drop { $0 == "/" }
        let authority = rest.prefix { !"/?#".contains($0) }
        return text[..<colon].lowercased() == "https" && authority == "shop.example"
    }

    /// Decodes percent escapes once more, as some frameworks and proxies do.
    static func decode(_ text: String) -> String {
        var output: [UInt8] = []
        var bytes = Array(text.utf8)[...]
        while let byte = bytes.popFirst() {
            if byte == UInt8(ascii: "%"), let value = UInt8(String(decoding: bytes.prefix(2), as: UTF8.self), radix: 16)
            {
                output.append(value)
                bytes = bytes.dropFirst(2)
            } else {
                output.append(byte)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
