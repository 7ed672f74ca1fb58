extension StringProtocol {
    /// Whether two strings are the same UTF-8 bytes.
    ///
    /// `String ==` compares by Unicode canonical equivalence, by which U+212A KELVIN SIGN equals `"K"`: two users would be equal.
    package func isIdentical(to other: some StringProtocol) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}
