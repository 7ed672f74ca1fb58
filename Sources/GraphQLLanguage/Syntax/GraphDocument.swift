/// A place in a GraphQL document, counted from 1; columns count bytes.
package struct GraphLocation: Sendable, Hashable {
    package let line: Int
    package let column: Int
}

/// A value in a document: a literal or a variable.
package indirect enum GraphLiteral: Sendable {
    case variable(String)
    case number(String)
    case string(String)
    case bool(Bool)
    case null
    case enumeration(String)
    case list([GraphLiteral])
    case object([(name: String, value: GraphLiteral)])
}

/// A reference to a type: `Name`, `[Name]`, `Name!` and their combinations.
package indirect enum GraphTypeReference: Sendable, Hashable, CustomStringConvertible {
    case named(String)
    case list(GraphTypeReference)
    case nonNull(GraphTypeReference)

    package var description: String {
        switch self {
        case .named(let name): name
        case .list(let element): "[\(element)]"
        case .nonNull(let inner): "\(inner)!"
        }
    }

    package var withoutNonNull: GraphTypeReference {
        if case .nonNull(let inner) = self { inner } else { self }
    }

    /// The name inside all brackets and exclamation marks.
    package var leafName: String {
        switch self {
        case .named(let name): name
        case .list(let inner), .nonNull(let inner): inner.leafName
        }
    }
}

/// `name: value` in the parentheses of a field or a directive.
package struct GraphArgument: Sendable {
    package let name: String
    package let value: GraphLiteral
    package let location: GraphLocation
}

/// `@name(...)`.
package struct GraphDirective: Sendable {
    package let name: String
    package let arguments: [GraphArgument]
    package let location: GraphLocation
}

package struct GraphField: Sendable {
    package let alias: String?
    package let name: String
    package let arguments: [GraphArgument]
    package let directives: [GraphDirective]
    package var selections: [GraphSelection]
    package let location: GraphLocation
    package let comment: String?

    /// The field `__typename` that the generator adds to selections; its location is not a place in a document.
    package static let typename = GraphField(
        alias: nil,
        name: "__typename",
        arguments: [],
        directives: [],
        selections: [],
        location: GraphLocation(line: 1, column: 1),
        comment: nil
    )

    package var responseKey: String { alias ?? name }
}

package indirect enum GraphSelection: Sendable {
    case field(GraphField)
    case spread(name: String, directives: [GraphDirective], location: GraphLocation)
    case inline(type: String?, directives: [GraphDirective], selections: [GraphSelection], location: GraphLocation)
}

/// `$name: Type = default`.
package struct GraphVariable: Sendable {
    package let name: String
    package let type: GraphTypeReference
    package let defaultValue: GraphLiteral?
    package let directives: [GraphDirective]
    package let location: GraphLocation
    /// The description or the comment above the variable.
    package let comment: String?
}

package struct GraphOperation: Sendable {
    package enum Kind: String, Sendable {
        case query
        case mutation
    }

    package let kind: Kind
    package let name: String?
    package let variables: [GraphVariable]
    package let directives: [GraphDirective]
    package var selections: [GraphSelection]
    package let location: GraphLocation
    /// The description or the comment above the operation.
    package let comment: String?

    /// The first element of an error path in this operation, for example `query Q`.
    package var pathName: String { name.map { "\(kind.rawValue) \($0)" } ?? kind.rawValue }
}

/// `fragment name on Type { ... }`.
package struct GraphFragment: Sendable {
    package let name: String
    package let type: String
    package let directives: [GraphDirective]
    package var selections: [GraphSelection]
    package let location: GraphLocation
    /// The description or the comment above the fragment.
    package let comment: String?

    /// The first element of an error path in this fragment, for example `fragment Card`.
    package var pathName: String { "fragment \(name)" }
}

package struct GraphDocument: Sendable {
    package var operations: [GraphOperation] = []
    package var fragments: [GraphFragment] = []
}
