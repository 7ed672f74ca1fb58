/// HTML that escapes interpolated texts; only other ``HTMLText`` is inserted unchanged.
package struct HTMLText: ExpressibleByStringInterpolation, Sendable {
    package let text: String

    package init(stringLiteral value: String) {
        text = value
    }

    package init(stringInterpolation: Interpolation) {
        text = stringInterpolation.text
    }

    init(joining parts: [HTMLText]) {
        text = parts.map(\.text).joined()
    }

    package struct Interpolation: StringInterpolationProtocol {
        var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) {
            text += literal
        }

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

        package mutating func appendInterpolation(_ value: HTMLText) {
            text += value.text
        }
    }
}
