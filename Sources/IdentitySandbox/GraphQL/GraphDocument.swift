/// A place in a GraphQL document, counted from 1.
struct GraphLocation: Sendable {
    let line: Int
    let column: Int
}

/// A value as it is written in a document.
indirect enum GraphLiteral: Sendable {
    case variable(String)
    case number(String)
    case string(String)
    case bool(Bool)
    case null
    case enumeration(String)
    case list([GraphLiteral])
    case object([(name: String, value: GraphLiteral)])
}

/// A reference to a type: `Name`, `[Name]`, `Name!` and what they combine to.
indirect enum GraphTypeReference: Sendable, CustomStringConvertible {
    case named(String)
    case list(GraphTypeReference)
    case nonNull(GraphTypeReference)

    var description: String {
        switch self {
        case .named(let name): name
        case .list(let element): "[\(element)]"
        case .nonNull(let inner): "\(inner)!"
        }
    }

    /// The name inside all brackets and exclamation marks.
    var leafName: String {
        switch self {
        case .named(let name): name
        case .list(let inner), .nonNull(let inner): inner.leafName
        }
    }
}

/// `name: value` in the parentheses of a field or a directive.
struct GraphArgument: Sendable {
    let name: String
    let value: GraphLiteral
    let location: GraphLocation
}

/// `@name(...)`.
struct GraphDirective: Sendable {
    let name: String
    let arguments: [GraphArgument]
    let location: GraphLocation
}

/// One field of a selection set.
struct GraphField: Sendable {
    let alias: String?
    let name: String
    let arguments: [GraphArgument]
    let directives: [GraphDirective]
    let selections: [GraphSelection]
    let location: GraphLocation

    var responseKey: String { alias ?? name }
}

/// A member of a selection set.
indirect enum GraphSelection: Sendable {
    case field(GraphField)
    case spread(name: String, directives: [GraphDirective], location: GraphLocation)
    case inline(type: String?, directives: [GraphDirective], selections: [GraphSelection], location: GraphLocation)
}

/// `$name: Type = default`.
struct GraphVariable: Sendable {
    let name: String
    let type: GraphTypeReference
    let defaultValue: GraphLiteral?
    let location: GraphLocation
}

/// A query or a mutation.
struct GraphOperation: Sendable {
    enum Kind: String, Sendable {
        case query
        case mutation
    }

    let kind: Kind
    let name: String?
    let variables: [GraphVariable]
    let directives: [GraphDirective]
    let selections: [GraphSelection]
    let location: GraphLocation

    /// How the service names the operation at the head of an error path.
    var pathName: String { name.map { "\(kind.rawValue) \($0)" } ?? kind.rawValue }
}

/// `fragment name on Type { ... }`.
struct GraphFragment: Sendable {
    let name: String
    let type: String
    let selections: [GraphSelection]
    let location: GraphLocation
}

/// A parsed document.
struct GraphDocument: Sendable {
    var operations: [GraphOperation] = []
    var fragments: [GraphFragment] = []
}
