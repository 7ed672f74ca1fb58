/// A query or mutation: a constant document, the variables of this call, and the type of the result.
///
/// The document is a constant, so that no user input becomes part of it: all values of a call are variables. The generator
/// `storefront-gen` writes conforming types from `.graphql` files. A hand-written type needs a document, its variables and a type for
/// the result. A type with a buyer's data should also conform to ``GraphQLRedacted``, so that its description does not contain these
/// data.
///
/// ```swift
/// struct ShopName: GraphQLOperation {
///     static let document = GraphQLDocument(name: "ShopName", kind: .query, text: "query ShopName { shop { name } }")
///     var variables: GraphQLInputObject { GraphQLInputObject() }
///     static func output(_ data: GraphQLNode) throws(GraphQLReadingError) -> NamedShop { try data.field("shop") }
/// }
/// ```
public protocol GraphQLOperation: Sendable {
    /// The type of the result.
    associatedtype Output: GraphQLReadable

    /// The document, with exactly one operation.
    static var document: GraphQLDocument { get }

    /// The variables of this call, without the variables of ``GraphQLDocument/contextVariables``: the client adds them.
    var variables: GraphQLInputObject { get }

    /// Reads the result from the data, by default from the whole data.
    ///
    /// A generated operation with one root field reads the result from that field.
    ///
    /// - Throws: ``GraphQLReadingError`` when the data do not match the document.
    static func output(_ data: GraphQLNode) throws(GraphQLReadingError) -> Output
}

extension GraphQLOperation {
    /// Reads the result from the whole data.
    public static func output(_ data: GraphQLNode) throws(GraphQLReadingError) -> Output {
        try Output(data)
    }
}
