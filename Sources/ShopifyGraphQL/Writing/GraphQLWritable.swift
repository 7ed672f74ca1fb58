public import IdentityKit

/// A value that can be a variable of an operation.
public protocol GraphQLWritable: Sendable {
    /// The value for a request's body. It can contain secrets.
    var graphQLValue: JSONValue { get }
}
