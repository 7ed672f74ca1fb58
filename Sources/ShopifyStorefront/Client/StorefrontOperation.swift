public import IdentityKit

/// One query or mutation: a constant document, the variables of this call, and how its data are read.
///
/// Conform for queries of your own. The document is a constant, so that no value of a user ever becomes part of it: everything
/// that varies is a variable. The cart operations of this module are written the same way.
public protocol StorefrontOperation: Sendable {
    /// What the data become.
    associatedtype Output: Sendable

    /// The GraphQL document, with exactly one operation.
    static var document: String { get }

    /// The variables of this call.
    ///
    /// - Parameter context: The call's country, language and so on, for an `@inContext` directive; see
    ///   ``StorefrontContext/variables``.
    func variables(in context: StorefrontContext) -> JSONObject

    /// Reads the member `data` of the answer.
    ///
    /// Members may be null where the document allows it, or where ``StorefrontResult/errors`` tells why.
    ///
    /// - Throws: Anything; the client makes an `IdentityError` of it.
    static func output(from data: JSONValue) throws -> Output
}
