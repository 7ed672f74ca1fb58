internal import GraphQLLanguage

extension Planner {
    // MARK: Payloads

    func payload(for collected: Collected, _ parent: GraphSchemaType) -> String? {
        // A redacted selection must not use the shared type of a payload, because this type prints its contents.
        guard collected.spreads.isEmpty, collected.conditions.isEmpty, !parent.isAbstract, !isRedacted(parent.name)
        else { return nil }
        let keys = Set(collected.fields.map(\.key))
        return configuration.payloads.sorted { $0.key < $1.key }.first { Set($0.value) == keys }?.key
    }

    mutating func usePayload(
        _ name: String,
        _ collected: Collected,
        _ parent: GraphSchemaType,
        _ taken: inout Set<String>,
        _ location: GraphLocation?
    ) -> (type: SwiftType, nested: [OutputType]) {
        var fields: [PayloadUse.Field] = []
        var nested: [OutputType] = []
        var names: Set<String> = []
        for key in configuration.payloads[name] ?? [] {
            guard let field = collected.fields.first(where: { $0.key == key }) else { continue }
            var planned = property(field, parent, &taken, reserved: names)
            // `isAlias` is false also for an alias, so that the field `cartId` and an alias `cartId` become the same property.
            planned.property.name = Self.propertyName(key, isAlias: false, reserved: names)
            names.insert(planned.property.name)
            nested += planned.nested
            // Operations with different GraphQL payload types share this Swift type, so the default comment does not name a GraphQL type.
            planned.property.comment = field.fields[0].comment ?? "The field `\(key)`."
            fields.append(PayloadUse.Field(property: planned.property, isLocal: !planned.nested.isEmpty))
        }
        payloadUses[name, default: []].append(PayloadUse(fields: fields, file: file, location: location))
        return (.payload(name, fields), nested)
    }

    /// Plans one type for each payload; a property whose type differs between the selections gets a generic parameter as its type.
    mutating func payloads() -> [PayloadType] {
        var payloads: [PayloadType] = []
        for (name, uses) in payloadUses.sorted(by: { $0.key < $1.key }) {
            guard let first = uses.first else { continue }
            var properties: [OutputProperty] = []
            var parameters: [(property: String, name: String)] = []
            for (index, field) in first.fields.enumerated() {
                var property = field.property
                let marker = SwiftType.named("")
                let shape = property.type.replacingLeaf(marker)
                for use in uses where use.fields[index].property.type.replacingLeaf(marker) != shape {
                    fail(
                        "\"\(property.name)\" of the payload \(name) can be null or is a list in some places and not in others."
                            + " Give the field an alias here: the selection then gets its own type.",
                        use.file,
                        use.location
                    )
                }
                let isFixed = uses.allSatisfy { use in
                    !use.fields[index].isLocal && use.fields[index].property.type == property.type
                }
                if !isFixed {
                    let parameter = SwiftNames.type(property.name, avoiding: topLevel.union(parameters.map(\.name)))
                    parameters.append((property.name, parameter))
                    property.type = property.type.replacingLeaf(.named(parameter))
                }
                properties.append(property)
            }
            payloads.append(PayloadType(name: name, properties: properties, parameters: parameters))
        }
        return payloads
    }

    // MARK: Input

    mutating func variables(of operation: GraphOperation, without context: [String]) -> [InputProperty] {
        var names: Set<String> = [
            "document", "variables", "output", "Output", "description", "debugDescription", "customMirror",
        ]
        var properties: [InputProperty] = []
        for variable in operation.variables where !context.contains(variable.name) {
            let given =
                configuration.variables["\(operation.name ?? "").\(variable.name)"]
                ?? configuration.variables[variable.name]
            properties.append(
                input(
                    variable.name,
                    variable.type,
                    given: given,
                    hasDefault: variable.defaultValue != nil,
                    comment: variable.comment ?? "The variable `$\(variable.name)`, of type `\(variable.type)`.",
                    &names
                )
            )
        }
        return Self.ordered(properties)
    }

    private static func ordered(_ properties: [InputProperty]) -> [InputProperty] {
        properties.filter { $0.presence == .required } + properties.filter { $0.presence != .required }
    }

    private mutating func input(
        _ key: String,
        _ type: GraphTypeReference,
        given: String?,
        hasDefault: Bool,
        comment: String,
        _ names: inout Set<String>
    ) -> InputProperty {
        var name = SwiftNames.member(key, reserved: names)
        if names.contains(name) { name = SwiftNames.member(key, isAlias: true, reserved: names) }
        name = names.insertUnique(name)
        var leaf = given ?? "String"
        if given == nil, let result = schema.types[type.leafName] {
            if result.isInputObject {
                reachableInputs.insert(result.name)
                leaf = configuration.names[result.name] ?? result.name
            } else {
                leaf = leafName(result)
            }
        }
        var presence = InputProperty.Presence.threeState
        if case .nonNull = type { presence = hasDefault ? .defaulted : .required }
        let swiftType = Self.inputType(type, leaf)
        return InputProperty(name: name, key: key, type: swiftType, presence: presence, comment: comment)
    }

    /// The Swift type of an input value; elements of lists are not optional, even if the schema permits null.
    private static func inputType(_ reference: GraphTypeReference, _ leaf: String) -> SwiftType {
        switch reference {
        case .nonNull(let inner): inputType(inner, leaf)
        case .list(let element): .list(inputType(element, leaf))
        case .named: .named(leaf)
        }
    }

    mutating func inputs() -> [InputType] {
        var inputs: [InputType] = []
        var done: Set<String> = []
        while let name = reachableInputs.subtracting(done).sorted().first {
            done.insert(name)
            let swiftName = configuration.names[name] ?? name
            guard let type = schema.types[name], !configuration.provided.contains(swiftName) else { continue }
            var names: Set<String> = ["graphQLValue", "description", "debugDescription", "customMirror"]
            var properties: [InputProperty] = []
            for field in type.fields where field.deprecation == nil || field.isRequired {
                let isRecursive = !field.type.isList && reaches(name, from: field.type.leafName)
                let given =
                    configuration.types["\(name).\(field.name)"] ?? (isRecursive ? "GraphQLInputObject" : nil)
                let short =
                    isRecursive
                    ? " Its value is a `GraphQLInputObject`, because a Swift struct cannot contain itself." : ""
                properties.append(
                    input(
                        field.name,
                        field.type,
                        given: given,
                        hasDefault: field.defaultValue != nil,
                        comment: described(
                            field.description,
                            "The field `\(field.name)` of `\(name)`, of type `\(field.type)`.\(short)"
                        ),
                        &names
                    )
                )
            }
            inputs.append(
                InputType(
                    name: swiftName,
                    comment: described(type.description, "The input `\(name)`."),
                    properties: Self.ordered(properties),
                    isRedacted: isRedacted(name)
                )
            )
        }
        return inputs.sorted { $0.name < $1.name }
    }

    /// Whether a property of type `start` would make the struct `target` contain itself, which Swift forbids; a list in between is allowed.
    private func reaches(_ target: String, from start: String) -> Bool {
        var seen: Set<String> = []
        var waiting = [start]
        while let name = waiting.popLast() {
            if name == target { return true }
            guard seen.insert(name).inserted, let type = schema.types[name], type.isInputObject else { continue }
            waiting += type.fields.filter { !$0.type.isList }.map(\.type.leafName)
        }
        return false
    }

    // MARK: Enums

    func enums() -> [EnumType] {
        var enums: [EnumType] = []
        for name in reachableEnums.sorted() {
            let swiftName = configuration.names[name] ?? name
            guard let type = schema.types[name], case .enumeration(let values) = type.kind,
                !configuration.provided.contains(swiftName)
            else { continue }
            var names: Set<String> = []
            let constants = values.sorted { $0.name < $1.name }.map { value in
                EnumType.Constant(
                    name: names.insertUnique(SwiftNames.constant(value.name)),
                    text: value.name,
                    comment: described(value.description, "The value `\(value.name)`."),
                    isDeprecated: value.deprecation != nil
                )
            }
            let short = "A value of `\(name)`. Unknown values of later API versions are kept."
            let comment = described(type.description, short)
            enums.append(EnumType(name: swiftName, comment: comment, constants: constants))
        }
        return enums
    }

    // MARK: Comparing

    /// The Swift names of the types that become `Equatable`: the configured ones and, recursively, the types of their properties.
    func equatableTypes(in plan: Plan) -> Set<String> {
        var found: Set<String> = []
        var waiting = configuration.equatable.map { fragmentNames[$0] ?? configuration.names[$0] ?? $0 }
        while let name = waiting.popLast() {
            guard found.insert(name).inserted else { continue }
            if let fragment = plan.fragments.first(where: { $0.type.name == name && !$0.isProvided }) {
                waiting += Self.mentioned(in: fragment.type)
            }
            if let input = plan.inputs.first(where: { $0.name == name }) {
                waiting += input.properties.flatMap { Self.leaves(of: $0.type) }
            }
        }
        return found
    }

    private static func mentioned(in type: OutputType) -> [String] {
        let own: [String] =
            switch type.content {
            case .object(let properties): properties.flatMap { leaves(of: $0.type) }
            case .choice(let cases): cases.flatMap { leaves(of: $0.type) }
            }
        return own + type.nested.flatMap(mentioned)
    }

    private static func leaves(of type: SwiftType) -> [String] {
        switch type {
        case .named(let name): [name]
        case .optional(let inner), .list(let inner): leaves(of: inner)
        case .payload(let name, let fields): [name] + fields.flatMap { leaves(of: $0.property.type) }
        }
    }
}
