/// HTML that escapes every interpolated text; only other markup is inserted as it is.
struct Markup: ExpressibleByStringInterpolation, Sendable {
    struct StringInterpolation: StringInterpolationProtocol {
        var html = ""

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ literal: String) { html += literal }
        mutating func appendInterpolation(_ text: String) { html += Markup.escaped(text) }
        mutating func appendInterpolation(_ number: Int) { html += String(number) }
        mutating func appendInterpolation(_ markup: Markup) { html += markup.html }
        mutating func appendInterpolation(_ pieces: [Markup]) { for piece in pieces { html += piece.html } }
    }

    let html: String

    init(stringLiteral html: String) { self.html = html }
    init(stringInterpolation: StringInterpolation) { html = stringInterpolation.html }

    static let none: Markup = ""

    private static func escaped(_ text: String) -> String {
        var output = ""
        for scalar in text.unicodeScalars {
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

/// Links of the shop with encoded query values.
enum Link {
    /// A path with a query; parameters without a value are left out.
    static func to(_ path: String, _ parameters: KeyValuePairs<String, String?>) -> String {
        let pairs = parameters.compactMap { name, value in value.map { "\(name)=\(encoded($0))" } }
        return pairs.isEmpty ? path : path + "?" + pairs.joined(separator: "&")
    }

    /// A text as one segment of a path, or one value of a query.
    static func encoded(_ text: String) -> String {
        var output = ""
        for byte in text.utf8 {
            let scalar = Unicode.Scalar(byte)
            if byte < 0x80,
                scalar.properties.isAlphabetic || scalar.properties.numericType != nil || "-._~".utf8.contains(byte)
            {
                output.unicodeScalars.append(scalar)
            } else {
                output += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return output
    }
}
