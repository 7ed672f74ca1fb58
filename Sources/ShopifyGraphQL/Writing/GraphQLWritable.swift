public import IdentityKit

/// A value that can stand in the variables of an operation.
public protocol GraphQLWritable: Sendable {
    /// The value as it is sent. It may hold secrets: for a request's body only.
    var graphQLValue: JSONValue { get }
}
