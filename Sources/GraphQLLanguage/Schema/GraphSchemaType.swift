/// A field of an output type, an argument, or a member of an input type.
package struct GraphSchemaField: Sendable {
    package let name: String
    package let type: GraphTypeReference
    package let arguments: [GraphSchemaField]
    package let defaultValue: GraphLiteral?
    package let description: String?
    /// Why the field is deprecated; nil if it is not deprecated.
    package let deprecation: String?

    package init(
        name: String,
        type: GraphTypeReference,
        arguments: [GraphSchemaField] = [],
        defaultValue: GraphLiteral? = nil,
        description: String? = nil,
        deprecation: String? = nil
    ) {
        self.name = name
        self.type = type
        self.arguments = arguments
        self.defaultValue = defaultValue
        self.description = description
        self.deprecation = deprecation
    }

    /// Whether a caller must provide this argument or input field: its type is non-null, and it has no default.
    package var isRequired: Bool {
        if case .nonNull = type { defaultValue == nil } else { false }
    }
}

package struct GraphEnumValue: Sendable {
    package let name: String
    package let description: String?
    package let deprecation: String?

    package init(name: String, description: String? = nil, deprecation: String? = nil) {
        self.name = name
        self.description = description
        self.deprecation = deprecation
    }
}

package struct GraphSchemaType: Sendable {
    package enum Kind: Sendable {
        case scalar
        /// An enum; without listed values, a value is 2 to 8 characters, each a capital letter or an underscore.
        ///
        /// In the sandbox's schemas, several enums have no listed values, for example `CurrencyCode` of the Customer Account API.
        case enumeration([GraphEnumValue])
        case object
        case interface
        case union
        case input
    }

    package let name: String
    package let kind: Kind
    package let description: String?
    package let fields: [GraphSchemaField]
    package let interfaces: [String]
    /// The object types of a union or of an interface.
    ///
    /// The list of an interface may be incomplete: ``GraphSchema`` also finds object types by their ``interfaces``.
    package let members: [String]
    private let index: [String: Int]

    package init(
        name: String,
        kind: Kind,
        description: String? = nil,
        fields: [GraphSchemaField] = [],
        interfaces: [String] = [],
        members: [String] = []
    ) {
        self.name = name
        self.kind = kind
        self.description = description
        self.fields = fields
        self.interfaces = interfaces
        self.members = members
        index = Dictionary(fields.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    package func field(_ name: String) -> GraphSchemaField? {
        index[name].map { fields[$0] }
    }

    /// Whether a field of this type needs a selection of subfields.
    package var isComposite: Bool {
        switch kind {
        case .object, .interface, .union: true
        case .scalar, .enumeration, .input: false
        }
    }

    package var isAbstract: Bool {
        switch kind {
        case .interface, .union: true
        case .object, .scalar, .enumeration, .input: false
        }
    }

    package var isInput: Bool { !isComposite }

    package var isEnum: Bool {
        if case .enumeration = kind { true } else { false }
    }

    package var isInputObject: Bool {
        if case .input = kind { true } else { false }
    }

    package func enumValue(_ name: String) -> GraphEnumValue? {
        guard case .enumeration(let values) = kind else { return nil }
        if values.isEmpty { return Self.isOpenEnumValue(name) ? GraphEnumValue(name: name) : nil }
        return values.first { $0.name == name }
    }

    private static func isOpenEnumValue(_ text: String) -> Bool {
        (2...8).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x41...0x5A).contains($0) || $0 == UInt8(ascii: "_") }
    }
}

package struct GraphSchemaDirective: Sendable {
    package let name: String
    package let locations: Set<String>
    package let arguments: [GraphSchemaField]

    package init(name: String, locations: Set<String>, arguments: [GraphSchemaField]) {
        self.name = name
        self.locations = locations
        self.arguments = arguments
    }
}
