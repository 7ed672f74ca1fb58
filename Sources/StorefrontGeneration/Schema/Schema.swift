internal import GraphQLLanguage

/// A field of an output type, an argument, or a member of an input type.
struct SchemaField: Sendable {
    let name: String
    let type: GraphTypeReference
    let arguments: [SchemaField]
    let hasDefault: Bool
    let description: String?
    /// Why it is deprecated; nil when it is not.
    let deprecation: String?

    /// Whether it must be given.
    var isRequired: Bool {
        if case .nonNull = type { !hasDefault } else { false }
    }
}

struct SchemaEnumValue: Sendable {
    let name: String
    let description: String?
    let deprecation: String?
}

struct SchemaType: Sendable {
    enum Kind: Sendable {
        case scalar
        case enumeration([SchemaEnumValue])
        case object
        case interface
        case union
        case input
    }

    let name: String
    let kind: Kind
    let description: String?
    let fields: [SchemaField]
    /// The interfaces that an object type or an interface implements.
    let interfaces: [String]
    let index: [String: Int]

    init(name: String, kind: Kind, description: String?, fields: [SchemaField], interfaces: [String] = []) {
        self.name = name
        self.kind = kind
        self.description = description
        self.fields = fields
        self.interfaces = interfaces
        index = Dictionary(fields.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func field(_ name: String) -> SchemaField? {
        index[name].map { fields[$0] }
    }

    /// Whether it may have, and then must have, a selection.
    var isComposite: Bool {
        switch kind {
        case .object, .interface, .union: true
        case .scalar, .enumeration, .input: false
        }
    }

    var isAbstract: Bool {
        switch kind {
        case .interface, .union: true
        case .object, .scalar, .enumeration, .input: false
        }
    }

    var isInput: Bool {
        switch kind {
        case .scalar, .enumeration, .input: true
        case .object, .interface, .union: false
        }
    }

    var isInputObject: Bool {
        if case .input = kind { true } else { false }
    }
}

struct SchemaDirective: Sendable {
    let name: String
    let locations: Set<String>
    let arguments: [SchemaField]
}

/// The types of one API in one version.
package struct Schema: Sendable {
    let types: [String: SchemaType]
    let query: String
    let mutation: String?
    let directives: [String: SchemaDirective]
    /// The object types that each composite type can be.
    private let possible: [String: Set<String>]

    init(
        types: [String: SchemaType],
        query: String,
        mutation: String?,
        directives: [String: SchemaDirective],
        members: [String: [String]]
    ) {
        self.types = types
        self.query = query
        self.mutation = mutation
        self.directives = directives
        var possible: [String: Set<String>] = [:]
        for type in types.values {
            switch type.kind {
            case .object:
                possible[type.name] = [type.name]
                for name in type.interfaces { possible[name, default: []].insert(type.name) }
            case .interface, .union: possible[type.name, default: []].formUnion(members[type.name] ?? [])
            case .scalar, .enumeration, .input: break
            }
        }
        self.possible = possible
    }

    func possibleTypes(_ name: String) -> Set<String> {
        possible[name] ?? []
    }

    /// Whether a value of the one type always is one of the other, too: also one of a type that a later version adds.
    func isAlways(_ name: String, a other: String) -> Bool {
        guard name != other, let type = types[name] else { return true }
        if type.interfaces.contains(other) { return true }
        return !type.isAbstract && possibleTypes(other).contains(name)
    }

    func root(_ kind: GraphOperation.Kind) -> String? {
        kind == .query ? query : mutation
    }
}
