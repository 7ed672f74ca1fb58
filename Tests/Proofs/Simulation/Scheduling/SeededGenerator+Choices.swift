internal import TestDoubles

extension SeededGenerator {
    /// True with a probability in thousandths.
    mutating func permille(_ chance: Int) -> Bool {
        below(1000) < chance
    }

    mutating func milliseconds(_ range: ClosedRange<Int>) -> Duration {
        .milliseconds(range.lowerBound + below(range.count))
    }

    mutating func one<Element>(of elements: [Element]) -> Element {
        elements[below(elements.count)]
    }
}
