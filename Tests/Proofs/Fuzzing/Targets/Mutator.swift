import TestDoubles

/// Mutates inputs in ways that often break parsers; the same seed gives the same mutations.
package struct Mutator {
    private var random: SeededGenerator
    private let seeds: [[UInt8]]

    /// Tokens of the formats, and texts that have broken other parsers.
    private static let pieces: [[UInt8]] =
        [
            "\"", "\\", "{", "}", "[", "]", ",", ":", ".", "=", "&", "%", "+", "#", "?", "@", "/", "-", "null", "true",
            "1e300",
            "-0", "9223372036854775808", "\\u0000", "\\ud800", "\\u212a", "\u{212A}", "e\u{301}", "\r\n", "\u{0}",
            "\"sub\":\"x\",", "\"kid\":\"k1\",", "%00", "%2B", "https://", "127.0.0.1", "[::1]",
        ].map { Array($0.utf8) } + [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xEF, 0xBB, 0xBF]]

    package init(seed: UInt64, corpus: [[UInt8]]) {
        random = SeededGenerator(seed: seed)
        seeds = corpus.isEmpty ? [[]] : corpus
    }

    /// An input of the corpus with one to four changes.
    package mutating func next() -> [UInt8] {
        var input = seeds[below(seeds.count)]
        for _ in 0...below(4) { change(&input) }
        return input
    }

    private mutating func change(_ input: inout [UInt8]) {
        let place = below(input.count + 1)
        let end = min(input.count, place + below(16))
        switch below(8) {
        case 0 where place < input.count: input[place] ^= 1 << UInt8(below(8))
        case 1 where place < input.count: input[place] = UInt8(below(256))
        case 2: input.removeSubrange(place..<end)
        case 3: input.insert(contentsOf: Self.pieces[below(Self.pieces.count)], at: place)
        case 4: input.replaceSubrange(place..<end, with: Self.pieces[below(Self.pieces.count)])
        case 5: input.insert(contentsOf: input[place..<end], at: place)
        case 6:
            let other = seeds[below(seeds.count)]
            input = Array(input[..<place] + other[min(place, other.count)...])
        default: input = Array(input[..<place])
        }
    }

    private mutating func below(_ bound: Int) -> Int {
        random.below(max(bound, 1))
    }
}
