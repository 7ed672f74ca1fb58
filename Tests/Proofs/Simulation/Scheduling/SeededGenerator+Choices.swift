internal import TestDoubles

extension SeededGenerator {
    /// True with a probability in thousandths.
    mutating func permille(_ chance: Int) -> Bool {
        below(1000) < chance
    }

    /// A duration within a range of milliseconds.
    mutating func milliseconds(_ range: ClosedRange<Int>) -> Duration {
        .milliseconds(range.lowerBound + below(range.count))
    }

    /// A random element.
    mutating func one<Element>(of elements: [Element]) -> Element {
        elements[below(elements.count)]
    }
}
