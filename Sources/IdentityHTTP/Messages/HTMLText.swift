/// HTML in which interpolated strings are escaped; interpolated ``HTMLText`` is inserted unchanged.
package struct HTMLText: ExpressibleByStringInterpolation, Sendable {
    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) { text += literal }

        package mutating func appendInterpolation(_ value: HTMLText) { text += value.text }

        package mutating func appendInterpolation(_ value: String) {
            for character in value.unicodeScalars {
                switch character {
                case "&": text += "&amp;"
                case "<": text += "&lt;"
                case ">": text += "&gt;"
                case "\"": text += "&quot;"
                case "'": text += "&#39;"
                default: text.unicodeScalars.append(character)
                }
            }
        }
    }

    package let text: String

    package init(stringLiteral value: String) { text = value }
    package init(stringInterpolation: Interpolation) { text = stringInterpolation.text }
    package init(joining parts: [HTMLText]) { text = parts.map(\.text).joined() }

    /// Creates the HTML of a technical name, which a browser may break after each of `-._:/`.
    package init(breaking name: String) {
        var parts: [HTMLText] = []
        var word = ""
        for character in name {
            word.append(character)
            guard "-._:/".contains(character) else { continue }
            parts += ["\(word)", "<wbr>"]
            word = ""
        }
        self.init(joining: parts + ["\(word)"])
    }
}
