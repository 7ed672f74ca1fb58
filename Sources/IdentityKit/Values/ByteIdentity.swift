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
    /// The same for two whole strings, without a generic comparison of each byte.
    package func isIdentical(to other: String) -> Bool {
        // The lengths are known without the bytes, and Swift compares two short ASCII strings as numbers. Strings with the same bytes are
        // always equal, but equal strings may have different bytes.
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
