extension StringProtocol {
    /// The text as HTML shows it, in an element or a quoted attribute.
    var html: String {
        var output = ""
        for scalar in printable.unicodeScalars {
            switch scalar {
            case "&": output += "&amp;"
            case "<": output += "&lt;"
            case ">": output += "&gt;"
            case "\"": output += "&quot;"
            case "'": output += "&#39;"
            default: output.unicodeScalars.append(scalar)
            }
        }
        return output
    }
}
