/// Makes untrusted text safe for one line of output.
enum PlainText {
    /// The text without control characters, and at most 300 characters long.
    static func line(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            let isBreak =
                scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.value == 0x2028
                || scalar.value == 0x2029
            if isBreak {
                if result.last != " " { result += " " }
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        let isLong = result.unicodeScalars.count > 300
        return isLong ? String(result.unicodeScalars.prefix(299)) + "…" : result
    }
}
