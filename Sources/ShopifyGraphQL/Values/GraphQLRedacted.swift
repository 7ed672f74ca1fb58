/// A value that must not appear in a log: it prints only the name of its type and `<private>`.
///
/// Generated operations conform, because variables contain user input. Types that the generator's configuration lists under
/// `redacted` conform, too.
public protocol GraphQLRedacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension GraphQLRedacted {
    /// The type's name, without any value.
    public var description: String { "\(Self.self)(<private>)" }
    /// The same as ``description``.
    public var debugDescription: String { "\(Self.self)(<private>)" }
    /// No children, so that `dump` prints no member.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
