/// A value that may hold what belongs into no log: it prints the name of its type and nothing else.
///
/// The generator makes every operation one, because variables are what a user gave, and the types that its configuration lists.
public protocol GraphQLRedacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension GraphQLRedacted {
    /// The type's name.
    public var description: String { "\(Self.self)(<private>)" }
    /// The same as ``description``.
    public var debugDescription: String { "\(Self.self)(<private>)" }
    /// Shows no children, so that `dump` finds nothing either.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
