internal import IdentityCrypto
internal import IdentityHTTP
internal import IdentityKit

/// Finds the encoded forms of a set of secrets in a text, without a separate pass for each secret.
struct SecretTraces: Sendable {
    /// The minimum length in bytes of a text to search for; a shorter text could match by chance.
    private static let minimumLength = 8

    private struct Needle: Sendable {
        let bytes: [UInt8]
        let secret: Int
    }

    /// Searches for many texts in one pass; a key of `needles` is the first eight bytes of a text.
    private struct Index: Sendable {
        private var needles: [UInt64: [Needle]] = [:]
        /// For each pair of bytes, whether a needle begins with the pair, so that most positions of a text need no look-up in `needles`.
        private var beginnings = [Bool](repeating: false, count: 1 << 16)

        mutating func insert(_ needle: Needle) {
            let key = needle.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
            needles[key, default: []].append(needle)
            beginnings[Int(key >> 48)] = true
        }

        func search(_ haystack: [UInt8]) -> Set<Int> {
            var found: Set<Int> = []
            var window: UInt64 = 0
            var index = 0
            while index < haystack.count {
                window = window << 8 | UInt64(haystack[index])
                index += 1
                guard beginnings[Int(window >> 48)], index >= 8, let candidates = needles[window] else { continue }
                for needle in candidates where haystack[(index - 8)...].starts(with: needle.bytes) {
                    found.insert(needle.secret)
                }
            }
            return found
        }
    }

    private var secrets: [String] = []
    private var known: Set<[UInt8]> = []
    private var texts = Index()
    /// The secrets as lists of decimal numbers, for a search in the text that `numbersOnly(_:)` returns.
    private var numbers = Index()

    var count: Int { secrets.count }

    /// Adds a secret, and parts of it that count as a leak on their own; ignores texts of fewer than eight bytes.
    mutating func add(_ secret: Secret, parts: [String] = []) {
        let bytes = secret.revealBytes()
        guard bytes.count >= Self.minimumLength, known.insert(bytes).inserted else { return }
        secrets.append(secret.reveal())
        let forms = Self.forms(of: bytes) + parts.map { Array($0.utf8) }
        for form in forms where form.count >= Self.minimumLength {
            texts.insert(Needle(bytes: form, secret: secrets.count - 1))
        }
        let list = bytes.map { String($0) }.joined(separator: " ")
        numbers.insert(Needle(bytes: Array(list.utf8), secret: secrets.count - 1))
    }

    func found(in haystack: [UInt8]) -> [String] {
        texts.search(haystack).union(numbers.search(Self.numbersOnly(haystack))).sorted().map { secrets[$0] }
    }

    /// The decimal numbers of a text, separated by one space, so that a list of bytes is found with any separator.
    private static func numbersOnly(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        for byte in bytes {
            if ASCII.isDigit(byte) {
                output.append(byte)
            } else if output.last != UInt8(ascii: " ") {
                output.append(UInt8(ascii: " "))
            }
        }
        return output
    }

    private static func forms(of bytes: [UInt8]) -> Set<[UInt8]> {
        let text = String(decoding: bytes, as: UTF8.self)
        var forms: Set<[UInt8]> = [bytes]
        let hexadecimal = Hexadecimal.encode(bytes)
        forms.insert(Array(hexadecimal.utf8))
        forms.insert(Array(hexadecimal.uppercased().utf8))
        // The base64 form of a secret depends on the number of bytes before the secret, modulo 3. The first and last characters of a form
        // are left out if they also encode neighbouring bytes.
        for offset in 0..<3 {
            let padded = [UInt8](repeating: 0, count: offset) + bytes
            let first = (offset * 8 + 5) / 6
            let count = padded.count * 8 / 6 - first
            for encoded in [Base64.encode(padded), Base64URL.encode(padded)] {
                forms.insert(Array(encoded.utf8.dropFirst(first).prefix(count)))
            }
        }
        let escaped = FormEncoding.escape(text)
        forms.insert(Array(escaped.utf8))
        // Only the digits of the escapes are in lower case; the letters of the secret stay as they are.
        let digits = bytes.map { ASCII.unreserved.contains($0) ? [$0] : Array("%\(Hexadecimal.encode([$0]))".utf8) }
        forms.insert(Array(digits.joined()))
        forms.insert(Array(FormEncoding.escape(escaped).utf8))
        forms.insert(Array(JSONValue.string(text).serialized.dropFirst().dropLast()))
        forms.insert(bytes.flatMap { $0 == UInt8(ascii: "/") ? Array(#"\/"#.utf8) : [$0] })
        let entities: [UInt8: String] = [0x26: "&amp;", 0x3C: "&lt;", 0x3E: "&gt;", 0x22: "&quot;", 0x27: "&#39;"]
        forms.insert(bytes.flatMap { entities[$0].map { Array($0.utf8) } ?? [$0] })
        return forms
    }
}
