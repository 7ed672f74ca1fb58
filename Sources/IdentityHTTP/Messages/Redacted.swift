/// A value whose members contain secrets or personal data: only its `description` is printed, which contains neither.
///
/// `print`, `dump`, string interpolation and debuggers show the same text.
public protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
    /// The same as `description`.
    public var debugDescription: String { description }
    /// Shows no children, because `dump` prints the mirror.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
