/// A source of lines of text.
public protocol LineSource: Sendable {
    /// The next line without its line feed; nil at the end. A last line without line feed counts.
    ///
    /// - Throws: `CancellationError` when the task was cancelled, `IdentityError` when the line is too long, not UTF-8 or not readable.
    func nextLine() async throws -> String?
}
