internal import IdentityPlatform

extension StringProtocol {
    /// Whether two strings are the same UTF-8 bytes.
    ///
    /// `==` treats canonically equivalent strings as equal, for example U+212A KELVIN SIGN and `"K"`. So the subjects of two different
    /// buyers could be equal by `==`.
    package func isIdentical(to other: some StringProtocol) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}

extension String {
    /// Whether two strings are the same UTF-8 bytes; faster than the generic function.
    package func isIdentical(to other: String) -> Bool {
        // The fast checks come first: Swift compares two short ASCII strings as integers.
        guard utf8.count == other.utf8.count, self == other else { return false }
        return utf8.span.isEqual(to: other.utf8.span)
    }
}

/// A string as a key of a dictionary or set, compared as bytes: for Swift, canonically equivalent strings are the same key.
package struct ByteKey: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: ByteKey, right: ByteKey) -> Bool { left.text.isIdentical(to: right.text) }

    package func hash(into hasher: inout Hasher) {
        unsafe text.utf8.span.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}

extension Span<UInt8> {
    /// Whether two spans contain the same bytes; faster than a loop.
    func isEqual(to other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return unsafe withUnsafeBytes { left in
            unsafe other.withUnsafeBytes { right in
                guard let start = left.baseAddress, let other = right.baseAddress else { return true }
                return unsafe memcmp(start, other, left.count) == 0
            }
        }
    }
}

extension [UInt8] {
    /// The index of the first element at or after `start` that equals `byte`; faster than a search in a slice.
    package func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        unsafe span.withUnsafeBytes { bytes in
            guard start < bytes.count, let first = bytes.baseAddress,
                let found = unsafe memchr(first + start, Int32(byte), bytes.count - start)
            else { return nil }
            return unsafe UnsafeRawPointer(found) - first
        }
    }
}
