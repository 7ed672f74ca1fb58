/// The text of a GraphQL fragment that several documents share.
///
/// `storefront-gen` writes one constant for each fragment, so that a module contains the fragment's text only once.
public struct GraphQLFragment: Sendable, Hashable {
    /// The fragment's definition.
    public let text: String

    /// Creates a fragment from its definition, for example `fragment Card on Product { id title }`.
    public init(_ text: String) {
        self.text = text
    }
}
