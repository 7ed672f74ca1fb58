package enum Spelling {
    /// The candidate with the smallest edit distance; nil if the distance is more than 3 or more than half the length of the word.
    ///
    /// A difference in letter case counts half.
    package static func nearest(to word: String, among candidates: [String]) -> String? {
        let word = Array(word.utf8.prefix(40))
        return candidates.map { ($0, distance(word, Array($0.utf8))) }
            .filter { $0.1 <= min(6, word.count) }
            .min { $0.1 < $1.1 }?.0
    }

    /// Twice the edit distance, so that a difference in letter case can count 1 instead of 2.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var row = (0...right.count).map { $0 * 2 }
        for (i, a) in left.enumerated() {
            var diagonal = row[0]
            row[0] = (i + 1) * 2
            for (j, b) in right.enumerated() {
                let isSameLetter = a | 0x20 == b | 0x20 && (0x61...0x7A).contains(a | 0x20)
                let cost = a == b ? diagonal : min(diagonal + (isSameLetter ? 1 : 2), row[j] + 2, row[j + 1] + 2)
                diagonal = row[j + 1]
                row[j + 1] = cost
            }
        }
        return row[right.count]
    }
}
