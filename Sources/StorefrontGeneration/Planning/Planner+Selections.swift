internal import GraphQLLanguage

extension Planner {
    /// The selections under one response key.
    struct CollectedField {
        let key: String
        var fields: [GraphField]
        /// Whether a directive can omit it in every place where it is selected.
        var isConditional: Bool
    }

    /// A collected selection set.
    struct Collected {
        var fields: [CollectedField] = []
        /// The fragments that always apply.
        var spreads: [String] = []
        /// The selections that apply only to some types.
        var conditions: [(type: String, selections: [GraphSelection])] = []
        var location: GraphLocation?
    }

    mutating func collect(_ selections: [GraphSelection], _ parent: GraphSchemaType) -> Collected {
        var collected = Collected()
        collect(selections, parent, isConditional: false, into: &collected)
        return collected
    }

    private static func isConditional(_ directives: [GraphDirective]) -> Bool {
        directives.contains { $0.name == "include" || $0.name == "skip" }
    }

    private mutating func collect(
        _ selections: [GraphSelection],
        _ parent: GraphSchemaType,
        isConditional: Bool,
        into collected: inout Collected
    ) {
        for selection in selections {
            switch selection {
            case .field(let field):
                if collected.location == nil { collected.location = field.location }
                let isConditional = isConditional || Self.isConditional(field.directives)
                if let index = collected.fields.firstIndex(where: { $0.key == field.responseKey }) {
                    collected.fields[index].fields.append(field)
                    collected.fields[index].isConditional = collected.fields[index].isConditional && isConditional
                } else {
                    let entry = CollectedField(key: field.responseKey, fields: [field], isConditional: isConditional)
                    collected.fields.append(entry)
                }
            case .spread(let name, let directives, let location):
                if collected.location == nil { collected.location = location }
                if isConditional || Self.isConditional(directives) {
                    fail(
                        file,
                        location,
                        "A response does not show whether a fragment was omitted. Put @include or @skip on fields instead."
                    )
                    continue
                }
                guard let type = documents.fragments[name]?.definition.type else { continue }
                if schema.isAlways(parent.name, a: type) {
                    if !collected.spreads.contains(name) { collected.spreads.append(name) }
                } else {
                    Self.append([selection], on: type, to: &collected)
                }
            case .inline(let condition, let directives, let inner, let location):
                if collected.location == nil { collected.location = location }
                let isConditional = isConditional || Self.isConditional(directives)
                if let condition, !schema.isAlways(parent.name, a: condition) {
                    // The directives go with the selections, as on an inline fragment without type.
                    let kept = directives.filter { Self.isConditional([$0]) }
                    let wrapped =
                        kept.isEmpty
                        ? inner : [.inline(type: nil, directives: kept, selections: inner, location: location)]
                    Self.append(wrapped, on: condition, to: &collected)
                } else {
                    collect(inner, parent, isConditional: isConditional, into: &collected)
                }
            }
        }
    }

    private static func append(_ selections: [GraphSelection], on type: String, to collected: inout Collected) {
        if let index = collected.conditions.firstIndex(where: { $0.type == type }) {
            collected.conditions[index].selections += selections
        } else {
            collected.conditions.append((type, selections))
        }
    }

    // MARK: Types

    /// The type of a selection set: a fragment's, a shared payload's, or a nested type.
    mutating func selected(
        _ selections: [GraphSelection],
        _ parent: GraphSchemaType,
        name: String,
        comment: String,
        taken: inout Set<String>,
        location: GraphLocation?
    ) -> (type: SwiftType, nested: [OutputType]) {
        let collected = collect(selections, parent)
        if collected.fields.isEmpty, collected.conditions.isEmpty, collected.spreads.count == 1,
            let spread = collected.spreads.first
        {
            return (.named(fragmentNames[spread] ?? spread), [])
        }
        guard countType(location) else { return (.named("String"), []) }
        if let payload = payload(for: collected, parent) {
            return usePayload(payload, collected, parent, &taken, location)
        }
        let name = SwiftNames.type(name, avoiding: taken)
        taken.insert(name)
        let type = type(
            named: name,
            collected: collected,
            parent: parent,
            comment: comment,
            isRedacted: isRedacted(parent.name)
        )
        return (.named(name), [type])
    }

    mutating func type(
        named name: String,
        collected: Collected,
        parent: GraphSchemaType,
        comment: String,
        isRedacted: Bool
    ) -> OutputType {
        var taken = topLevel.union([name])
        var nested: [OutputType] = []
        var properties: [OutputProperty] = []
        var names: Set<String> = isRedacted ? ["description", "debugDescription", "customMirror"] : []
        for field in collected.fields {
            // It was added by the generator, or it distinguishes the cases.
            if field.key == "__typename", !collected.conditions.isEmpty, collected.fields.count == 1 { continue }
            let planned = property(field, parent, &taken, reserved: names)
            names.insert(planned.property.name)
            properties.append(planned.property)
            nested += planned.nested
        }
        for spread in collected.spreads {
            let type = fragmentNames[spread] ?? spread
            var name = SwiftNames.lowered(type, reserved: names)
            while names.contains(name) { name += "Fragment" }
            names.insert(name)
            properties.append(
                OutputProperty(
                    name: name,
                    type: .named(type),
                    source: .place,
                    comment: "The fields of the fragment `\(spread)`."
                )
            )
        }
        guard !collected.conditions.isEmpty else {
            return OutputType(
                name: name,
                comment: comment,
                content: .object(properties),
                nested: nested,
                isRedacted: isRedacted
            )
        }
        if properties.isEmpty {
            let choice = choice(named: name, collected, parent, comment, isRedacted)
            return choice
        }
        let choiceName = SwiftNames.type("Concrete", avoiding: taken)
        let choiceComment = "The fields that depend on the object's type."
        nested.append(choice(named: choiceName, collected, parent, choiceComment, isRedacted))
        var concrete = "concrete"
        while names.contains(concrete) { concrete += "Value" }
        properties.append(
            OutputProperty(name: concrete, type: .named(choiceName), source: .place, comment: choiceComment)
        )
        return OutputType(
            name: name,
            comment: comment,
            content: .object(properties),
            nested: nested,
            isRedacted: isRedacted
        )
    }

    /// A case for each selected type.
    ///
    /// If several conditions apply to one type, its case has all of them.
    private mutating func choice(
        named name: String,
        _ collected: Collected,
        _ parent: GraphSchemaType,
        _ comment: String,
        _ isRedacted: Bool
    ) -> OutputType {
        var alone: [String: [String]] = [:]
        var merged: [(type: String, selections: [GraphSelection])] = []
        for concrete in schema.possibleTypes(parent.name).sorted() {
            let applicable = collected.conditions.filter { schema.possibleTypes($0.type).contains(concrete) }
            if applicable.count == 1, let only = applicable.first {
                alone[only.type, default: []].append(concrete)
            } else if applicable.count > 1 {
                merged.append((concrete, applicable.flatMap(\.selections)))
            }
        }
        var groups: [(type: String, typenames: [String], selections: [GraphSelection])] = []
        for condition in collected.conditions {
            guard let typenames = alone[condition.type] else { continue }
            groups.append((condition.type, typenames, condition.selections))
        }
        groups += merged.map { ($0.type, [$0.type], $0.selections) }
        var taken = topLevel.union([name])
        var nested: [OutputType] = []
        var cases: [OutputCase] = []
        var names: Set<String> = ["other", "description", "debugDescription", "customMirror"]
        for group in groups {
            guard let type = schema.types[group.type] else { continue }
            let planned = selected(
                group.selections,
                type,
                name: group.type,
                comment: "The selected fields of a `\(group.type)`.",
                taken: &taken,
                location: collected.location
            )
            var caseName = SwiftNames.lowered(group.type, reserved: names)
            while names.contains(caseName) { caseName += "Value" }
            names.insert(caseName)
            nested += planned.nested
            cases.append(OutputCase(name: caseName, typenames: group.typenames, type: planned.type))
        }
        return OutputType(name: name, comment: comment, content: .choice(cases), nested: nested, isRedacted: isRedacted)
    }

    // MARK: Properties

    mutating func property(
        _ collected: CollectedField,
        _ parent: GraphSchemaType,
        _ taken: inout Set<String>,
        reserved: Set<String>
    ) -> (property: OutputProperty, nested: [OutputType]) {
        let field = collected.fields[0]
        let isAlias = field.alias != nil
        var name = SwiftNames.member(collected.key, isAlias: isAlias)
        if reserved.contains(name) { name = SwiftNames.member(collected.key, isAlias: true) }
        while reserved.contains(name) { name += "Value" }
        guard field.name != "__typename", let definition = parent.field(field.name) else {
            let comment = field.comment ?? "The name of the object's type."
            let property = OutputProperty(
                name: name,
                type: .named("String"),
                source: .field(collected.key),
                comment: comment
            )
            return (property, [])
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
                collected.fields.flatMap(\.selections),
                result,
                name: Self.typeName(for: collected.key, definition.type),
                comment: "The result of `\(coordinate)`.",
                taken: &taken,
                location: field.location
            )
        } else if let result {
            leaf = .named(leafName(result))
        }
        var type = Self.type(definition.type, around: leaf)
        if collected.isConditional { type = type.asOptional }
        let comment =
            collected.fields.compactMap(\.comment).first
            ?? described(definition.description, "`\(coordinate)`, `\(definition.type)`.")
        let property = OutputProperty(name: name, type: type, source: .field(collected.key), comment: comment)
        return (property, nested)
    }

    func described(_ description: String?, _ short: String) -> String {
        guard configuration.descriptions, let description, !description.isEmpty else { return short }
        return "\(description)\n\n\(short)"
    }

    /// The configured type of a field, on the type itself or on one of its interfaces.
    func override(of field: String, on type: GraphSchemaType) -> String? {
        if let given = configuration.types["\(type.name).\(field)"] { return given }
        return type.interfaces.sorted().lazy.compactMap { configuration.types["\($0).\(field)"] }.first
    }

    /// The name for the type of a field, or of an element of a list.
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

    /// The Swift type of a scalar or enum.
    mutating func leafName(_ type: GraphSchemaType) -> String {
        if case .enumeration = type.kind {
            reachableEnums.insert(type.name)
            return configuration.names[type.name] ?? type.name
        }
        if let given = configuration.scalars[type.name] { return given }
        return Self.scalars[type.name] ?? "String"
    }

    /// The default Swift types of scalars.
    ///
    /// An unknown scalar is a text.
    static let scalars = [
        "Int": "Int", "Float": "Double", "Boolean": "Bool", "String": "String", "ID": "String",
        "DateTime": "ShopifyDateTime", "Decimal": "ShopifyDecimal", "URL": "ShopifyURL", "HTML": "ShopifyHTML",
        "Color": "ShopifyColor", "UnsignedInt64": "UInt64", "JSON": "JSONValue",
    ]
}

extension GraphTypeReference {
    /// Whether the outermost type is a list.
    var isList: Bool {
        switch self {
        case .list: true
        case .nonNull(let inner): inner.isList
        case .named: false
        }
    }
}
