extension StringProtocol {
    /// Whether two strings are the same UTF-8 bytes.
    ///
    /// `String ==` is Unicode canonical equivalence: by it U+212A KELVIN SIGN equals `"K"`, which would make two users one.
    package func isIdentical(to other: some StringProtocol) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}
