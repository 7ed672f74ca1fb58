package struct GraphSchema: Sendable {
    package let types: [String: GraphSchemaType]
    package let query: String
    package let mutation: String?
    package let directives: [String: GraphSchemaDirective]
    /// The names of the object types that a value can have, by the name of its composite type.
    private let possible: [String: Set<String>]

    package init(
        types: [String: GraphSchemaType],
        query: String,
        mutation: String?,
        directives: [String: GraphSchemaDirective]
    ) {
        self.types = types
        self.query = query
        self.mutation = mutation
        self.directives = Self.builtInDirectives.merging(directives) { $1 }
        var possible: [String: Set<String>] = [:]
        for type in types.values {
            switch type.kind {
            case .object:
                possible[type.name] = [type.name]
                for name in type.interfaces { possible[name, default: []].insert(type.name) }
            case .interface, .union: possible[type.name, default: []].formUnion(type.members)
            case .scalar, .enumeration, .input: break
            }
        }
        self.possible = possible
    }

    /// The scalars that every schema has (specification, section 3.5).
    package static let builtInScalars = ["String", "Int", "Float", "Boolean", "ID"]

    private static let builtInDirectives: [String: GraphSchemaDirective] = {
        let condition = GraphSchemaField(name: "if", type: .nonNull(.named("Boolean")))
        func directive(_ name: String) -> GraphSchemaDirective {
            let locations: Set = ["FIELD", "FRAGMENT_SPREAD", "INLINE_FRAGMENT"]
            return GraphSchemaDirective(name: name, locations: locations, arguments: [condition])
        }
        return ["include": directive("include"), "skip": directive("skip")]
    }()

    /// The object types that a value of the named type can have; empty for an unknown type and for a type that is not composite.
    package func possibleTypes(_ name: String) -> Set<String> {
        possible[name] ?? []
    }

    /// Whether every value of type `name` is also a value of type `other`; true if the schema has no type `name`.
    ///
    /// If `name` is an interface or a union, its object types are not examined, because a later API version may add object types. Then
    /// the result is true only if both names are equal, or if `name` implements the interface `other`.
    package func isAlways(_ name: String, a other: String) -> Bool {
        guard name != other, let type = types[name] else { return true }
        if type.interfaces.contains(other) { return true }
        return !type.isAbstract && possibleTypes(other).contains(name)
    }

    package func root(_ kind: GraphOperation.Kind) -> String? {
        kind == .query ? query : mutation
    }
}
