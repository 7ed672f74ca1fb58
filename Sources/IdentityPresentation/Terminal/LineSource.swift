/// A source of lines of text.
public protocol LineSource: Sendable {
    /// The next line without its line feed, which may be missing in the last line; nil at the end of the source.
    ///
    /// - Throws: `CancellationError` when the task was cancelled, `IdentityError` when the line is too long, not UTF-8 or not readable.
    func nextLine() async throws -> String?
}

extension LineSource {
    /// The next line that is not blank, without the blanks around it; nil at the end.
    package func nextText() async throws -> String? {
        while let line = try await nextLine() {
            try Task.checkCancellation()
            let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D }
            let bytes = Array(line.utf8).drop(while: isBlank).reversed().drop(while: isBlank).reversed()
            if !bytes.isEmpty { return String(decoding: Array(bytes), as: UTF8.self) }
        }
        return nil
    }
}
