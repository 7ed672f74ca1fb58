/// One query or mutation: a constant document, the variables of this call, and what its data become.
///
/// The document is a constant, so that no value of a user ever becomes part of it: everything that varies is a variable. The
/// generator `storefront-gen` writes conforming types from `.graphql` files; by hand it takes a document and an
/// initializer. What holds a buyer's data should be ``GraphQLRedacted`` too, or it shows them when it is printed.
public protocol GraphQLOperation: Sendable {
    /// What the data become.
    associatedtype Output: GraphQLReadable

    /// The document, with exactly one operation.
    static var document: GraphQLDocument { get }

    /// The variables of this call, without those of ``GraphQLDocument/contextVariables``: the client adds them.
    var variables: GraphQLInputObject { get }

    /// Reads the output from the place where the data begin.
    ///
    /// Unless given, the data are the output. An operation with one root field gives that field's value, so that nobody has to
    /// name the field again.
    ///
    /// - Throws: ``GraphQLReadingError`` where the data are not what the document asks for.
    static func output(_ data: GraphQLNode) throws(GraphQLReadingError) -> Output
}

extension GraphQLOperation {
    /// Reads the data as the output.
    public static func output(_ data: GraphQLNode) throws(GraphQLReadingError) -> Output {
        try Output(data)
    }
}
