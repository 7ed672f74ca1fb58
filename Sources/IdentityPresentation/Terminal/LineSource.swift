/// A source of lines of text.
public protocol LineSource: Sendable {
    /// The next line without its line feed, or nil at the end; a last line without line feed counts.
    ///
    /// - Throws: `CancellationError` when the task was cancelled, `IdentityError` when the line is too long or not UTF-8.
    func nextLine() async throws -> String?
}
