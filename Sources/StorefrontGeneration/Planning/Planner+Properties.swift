internal import GraphQLLanguage

extension Planner {
    mutating func property(
        _ collected: CollectedField,
        _ parent: GraphSchemaType,
        _ taken: inout Set<String>,
        reserved: Set<String>
    ) -> (property: OutputProperty, nested: [OutputType]) {
        let field = collected.fields[0]
        let name = Self.propertyName(collected.key, isAlias: field.alias != nil, reserved: reserved)
        func property(_ type: SwiftType, _ comment: String) -> OutputProperty {
            OutputProperty(
                name: name,
                type: collected.isConditional ? type.asOptional : type,
                source: .field(collected.key),
                comment: collected.fields.compactMap(\.comment).first ?? comment
            )
        }
        guard field.name != "__typename", let definition = parent.field(field.name) else {
            return (property(.named("String"), "The name of the object's type."), [])
        }
        let coordinate = "\(parent.name).\(field.name)"
        var leaf = SwiftType.named("String")
        var nested: [OutputType] = []
        let result = schema.types[definition.type.leafName]
        if let given = override(of: field.name, on: parent) {
            leaf = .named(given)
        } else if let result, result.isComposite {
            note(collected.fields, on: result.name)
            (leaf, nested) = selected(
                collected.selections,
                result,
                name: Self.typeName(for: collected.key, definition.type),
                comment: "The result of `\(coordinate)`.",
                taken: &taken,
                location: field.location
            )
        } else if let result {
            leaf = .named(leafName(result))
        }
        let comment = described(
            definition.description,
            "The field `\(field.name)` of `\(parent.name)`, of type `\(definition.type)`."
        )
        return (property(Self.type(definition.type, around: leaf), comment), nested)
    }

    static func propertyName(_ key: String, isAlias: Bool, reserved: Set<String>) -> String {
        var name = SwiftNames.member(key, isAlias: isAlias)
        if reserved.contains(name) { name = SwiftNames.member(key, isAlias: true) }
        while reserved.contains(name) { name += "Value" }
        return name
    }

    func described(_ description: String?, _ short: String) -> String {
        guard configuration.descriptions, let description, !description.isEmpty else { return short }
        return "\(description)\n\n\(short)"
    }

    func override(of field: String, on type: GraphSchemaType) -> String? {
        if let given = configuration.types["\(type.name).\(field)"] { return given }
        return type.interfaces.sorted().lazy.compactMap { configuration.types["\($0).\(field)"] }.first
    }

    /// The name for the type of a field with this response key; for a list, the singular form of the key.
    private static func typeName(for key: String, _ type: GraphTypeReference) -> String {
        guard type.isList else { return key }
        if key.hasSuffix("ies") { return key.dropLast(3) + "y" }
        if key.hasSuffix("sses") { return String(key.dropLast(2)) }
        return key.hasSuffix("s") && !key.hasSuffix("ss") ? String(key.dropLast()) : key
    }

    static func type(_ reference: GraphTypeReference, around leaf: SwiftType) -> SwiftType {
        switch reference {
        case .nonNull(.list(let element)): .list(type(element, around: leaf))
        case .nonNull: leaf
        case .list(let element): .optional(.list(type(element, around: leaf)))
        case .named: .optional(leaf)
        }
    }

    mutating func leafName(_ type: GraphSchemaType) -> String {
        if type.isEnum {
            reachableEnums.insert(type.name)
            return configuration.names[type.name] ?? type.name
        }
        if let given = configuration.scalars[type.name] { return given }
        return Self.scalars[type.name] ?? "String"
    }

    /// The default Swift types of scalars; any other scalar becomes `String`.
    static let scalars = [
        "Int": "Int", "Float": "Double", "Boolean": "Bool", "String": "String", "ID": "String",
        "DateTime": "ShopifyDateTime", "Decimal": "ShopifyDecimal", "URL": "ShopifyURL", "HTML": "ShopifyHTML",
        "Color": "ShopifyColor", "UnsignedInt64": "UInt64", "JSON": "JSONValue",
    ]
}

extension GraphTypeReference {
    var isList: Bool {
        switch self {
        case .list: true
        case .nonNull(let inner): inner.isList
        case .named: false
        }
    }
}
