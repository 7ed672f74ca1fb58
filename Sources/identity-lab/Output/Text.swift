internal import FoundationEssentials
internal import IdentityHTTP
internal import IdentityKit

extension StringProtocol {
    /// The text like ``printable``, but with its tabs, and with each line break as a line feed.
    var printableLines: String {
        split(omittingEmptySubsequences: false) { $0.isNewline }.map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map(\.printable).joined(separator: "\t")
        }.joined(separator: "\n")
    }

    /// The text with U+FFFD in place of control characters, line separators and direction marks.
    ///
    /// Untrusted text must not control the terminal.
    var printable: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    switch scalar.value {
                    case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: "\u{FFFD}"
                    default: scalar
                    }
                }
            )
        )
    }

    /// The ``printable`` text, escaped for an HTML element or a quoted attribute.
    var html: String {
        let escaped: HTMLText = "\(printable)"
        return escaped.text
    }
}

extension String {
    /// The first 60 characters in quotes, for an error message.
    var quoted: String { "\"\(prefix(60).printable)\"" }
}

extension Date {
    /// The time in RFC 3339 format, in UTC.
    var rfc3339: String { formatted(Date.ISO8601FormatStyle()) }
}

extension Duration {
    /// The duration with its unit: `2.5 ms` below 10 milliseconds, `340 ms` below one second, `1.2 s` otherwise.
    var readable: String {
        let (seconds, attoseconds) = components
        let milliseconds = Double(seconds) * 1000 + Double(attoseconds) / 1e15
        if milliseconds < 10 { return "\(Self.rounded(milliseconds)) ms" }
        if milliseconds < 1000 { return "\(Int(milliseconds.rounded())) ms" }
        return "\(Self.rounded(milliseconds / 1000)) s"
    }

    private static func rounded(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}

struct Palette {
    let isColored: Bool

    func green(_ text: String) -> String { wrap(text, 32) }
    func red(_ text: String) -> String { wrap(text, 31) }
    func bold(_ text: String) -> String { wrap(text, 1) }
    func dim(_ text: String) -> String { wrap(text, 2) }

    private func wrap(_ text: String, _ code: Int) -> String {
        isColored ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
