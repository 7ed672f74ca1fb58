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

    /// Creates the HTML of a technical name, in which a browser may break the line after each of `-._:/`.
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

extension HTMLText {
    /// A complete page with one box: the symbol, the title as a heading, and the content; `style` contains additional CSS rules.
    package init(page title: String, style: HTMLText, symbol: HTMLText = "", content: HTMLText) {
        self = """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <link rel="icon" href="data:,">
            <title>\(title)</title>
            <style>
            body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: light-dark(#f3f4f6, #14171b);
              color: light-dark(#1b1f24, #e8eaed); font: 1rem/1.5 system-ui, sans-serif; }
            main { box-sizing: border-box; width: min(26rem, 100vw - 2rem); padding: 2.5rem 2rem;
              background: light-dark(#fff, #1d2126); border: 1px solid light-dark(#dfe3e8, #2f353c); border-radius: 1rem; }
            h1 { margin: 0 0 .5rem; font-size: 1.35rem; line-height: 1.3; }
            p { margin: 0; color: light-dark(#55606c, #a9b2bc); overflow-wrap: anywhere; }
            \(style)
            </style>
            <main>\(symbol)<h1>\(title)</h1>\(content)</main>
            </html>
            """
    }
}
