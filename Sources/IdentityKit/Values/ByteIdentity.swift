internal import IdentityPlatform

extension StringProtocol {
    /// Whether two strings are the same UTF-8 bytes.
    ///
    /// `String ==` compares by Unicode canonical equivalence, by which U+212A KELVIN SIGN equals `"K"`: two users would be equal.
    package func isIdentical(to other: some StringProtocol) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}

extension String {
    /// Whether two strings are the same UTF-8 bytes; faster than the generic function.
    package func isIdentical(to other: String) -> Bool {
        // The lengths and `==` are compared first, because both checks are fast: Swift compares two short ASCII strings as integers. Equal
        // strings may still have different bytes, so the bytes are compared last.
        guard utf8.count == other.utf8.count, self == other else { return false }
        let (left, right) = (utf8.span, other.utf8.span)
        return unsafe left.withUnsafeBytes { left in
            unsafe right.withUnsafeBytes { right in
                guard let start = left.baseAddress, let other = right.baseAddress else { return true }
                return unsafe memcmp(start, other, left.count) == 0
            }
        }
    }
}
