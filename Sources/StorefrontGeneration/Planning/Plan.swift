internal import GraphQLLanguage

/// A type as generated code writes it.
indirect enum SwiftType: Hashable, Sendable {
    case named(String)
    case optional(SwiftType)
    case list(SwiftType)
    /// A payload type that several selections share, with the types that its fields have in one of these selections.
    case payload(String, [PayloadUse.Field])

    var asOptional: SwiftType {
        if case .optional = self { self } else { .optional(self) }
    }

    var withoutOptional: SwiftType {
        if case .optional(let inner) = self { inner } else { self }
    }

    var leaf: SwiftType {
        switch self {
        case .optional(let inner), .list(let inner): inner.leaf
        case .named, .payload: self
        }
    }

    /// Returns a type with the lists and optionals of this type, and with `leaf` as the innermost type.
    func replacingLeaf(_ leaf: SwiftType) -> SwiftType {
        switch self {
        case .optional(let inner): .optional(inner.replacingLeaf(leaf))
        case .list(let inner): .list(inner.replacingLeaf(leaf))
        case .named, .payload: leaf
        }
    }
}

/// One place where a shared payload is selected.
struct PayloadUse: Sendable {
    struct Field: Hashable, Sendable {
        let property: OutputProperty
        /// Whether the field's type uses a type that is nested in this operation or fragment; a shared payload is then generic.
        let isLocal: Bool
    }

    let fields: [Field]
    let file: String
    let location: GraphLocation?
}

struct OutputProperty: Hashable, Sendable {
    enum Source: Hashable, Sendable {
        case field(String)
        /// The value is read from the whole JSON object of the enclosing type, for a fragment or for the enum of the type conditions.
        case place
    }

    var name: String
    var type: SwiftType
    let source: Source
    var comment: String
}

/// A case of a generated enum: the objects of the types `typenames`, with the fields that are selected for them.
struct OutputCase: Sendable {
    let name: String
    let typenames: [String]
    let type: SwiftType
}

struct OutputType: Sendable {
    enum Content: Sendable {
        case object([OutputProperty])
        case choice([OutputCase])
    }

    let name: String
    let comment: String
    let content: Content
    let nested: [OutputType]
    let isRedacted: Bool
}

struct InputProperty: Sendable {
    enum Presence: Sendable {
        case required
        /// The value is not nullable and has a default.
        case defaulted
        /// The value is nullable, so it has three states: unset, null, or a value.
        case threeState
    }

    let name: String
    let key: String
    /// The type of a value, without the optional or `InputField` that `presence` adds.
    let type: SwiftType
    let presence: Presence
    let comment: String
}

struct InputType: Sendable {
    let name: String
    let comment: String
    let properties: [InputProperty]
    let isRedacted: Bool
}

struct EnumType: Sendable {
    struct Constant: Sendable {
        let name: String
        let text: String
        let comment: String
        let isDeprecated: Bool
    }

    let name: String
    let comment: String
    let constants: [Constant]
}

struct OperationType: Sendable {
    let name: String
    let graphQLName: String
    let comment: String
    let kind: GraphOperation.Kind
    let text: String
    /// The names of the constants of the fragments that the text needs.
    let fragments: [String]
    let contextVariables: [String]
    let repetition: String?
    let isPersonal: Bool?
    let variables: [InputProperty]
    let output: SwiftType
    /// The response key of the only root field; nil when the whole `data` object is the output.
    let rootKey: String?
    let nested: [OutputType]
    let deprecated: [String]
}

struct FragmentType: Sendable {
    let type: OutputType
    /// The name of the constant that holds the definition.
    let constant: String
    let text: String
    /// Whether `provided` in generator.json names the Swift type; if it does, only the constant with the fragment's text is written.
    let isProvided: Bool
    let deprecated: [String]
}

struct PayloadType: Sendable {
    let name: String
    let properties: [OutputProperty]
    /// The generic parameters, each with the name of the property whose type differs between the selections.
    let parameters: [(property: String, name: String)]
}

struct Plan: Sendable {
    var operations: [OperationType] = []
    var fragments: [FragmentType] = []
    var payloads: [PayloadType] = []
    var inputs: [InputType] = []
    var enums: [EnumType] = []
    var equatable: Set<String> = []
}
