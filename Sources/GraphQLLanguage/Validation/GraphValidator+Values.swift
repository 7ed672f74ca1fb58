extension GraphValidator {
    mutating func check(
        _ given: [GraphArgument],
        _ defined: [GraphSchemaField],
        of owner: GraphArgumentOwner,
        _ location: GraphLocation
    ) {
        var names: Set<String> = []
        for argument in given {
            path.append(argument.name)
            defer { path.removeLast() }
            guard names.insert(argument.name).inserted else {
                violate(.repeatedArgument(argument.name, of: owner), argument.location)
                continue
            }
            guard let definition = defined.first(where: { $0.name == argument.name }) else {
                violate(
                    .undefinedArgument(argument.name, of: owner, known: defined.map(\.name)),
                    argument.location
                )
                continue
            }
            deprecate("\(owner.coordinate)(\(argument.name):)", definition.deprecation, argument.location)
            let place = GraphValuePlace(
                argument: argument.name,
                argumentType: definition.type,
                owner: owner,
                member: argument.name
            )
            let hasDefault = definition.defaultValue != nil
            check(argument.value, definition.type, hasDefault: hasDefault, place, argument.location)
        }
        let missing = defined.filter { $0.isRequired && !names.contains($0.name) }
        if !missing.isEmpty { violate(.missingArguments(missing, of: owner), location) }
    }

    mutating func check(
        _ literal: GraphLiteral,
        _ type: GraphTypeReference,
        hasDefault: Bool,
        _ place: GraphValuePlace,
        _ location: GraphLocation
    ) {
        if case .variable(let name) = literal {
            uses.append(
                VariableUse(
                    name: name,
                    type: type,
                    hasDefault: hasDefault,
                    argument: place.member,
                    location: location,
                    file: file,
                    path: path
                )
            )
            return
        }
        switch type {
        case .nonNull(let inner):
            if case .null = literal { return violate(.invalidValue(.null(type), place: place), location) }
            check(literal, inner, hasDefault: false, place, location)
        case .list(let element):
            switch literal {
            case .null: break
            case .list(let elements):
                for item in elements { check(item, element, hasDefault: false, place, location) }
            // GraphQL accepts a single value as a list with one element (specification, section 3.11).
            default: check(literal, element, hasDefault: false, place, location)
            }
        case .named(let name):
            if case .null = literal { return }
            guard let definition = schema.types[name] else { return }
            checkLeaf(literal, definition, place, location)
        }
    }

    private mutating func checkLeaf(
        _ literal: GraphLiteral,
        _ type: GraphSchemaType,
        _ place: GraphValuePlace,
        _ location: GraphLocation
    ) {
        switch type.kind {
        case .input: checkObject(literal, type, place, location)
        case .enumeration:
            guard case .enumeration(let word) = literal else {
                return violate(.invalidValue(.notAnEnumValue(type: type.name), place: place), location)
            }
            guard let value = type.enumValue(word) else {
                return violate(.invalidValue(.undefinedEnumValue(word, type: type), place: place), location)
            }
            deprecate("\(type.name).\(word)", value.deprecation, location)
        case .scalar:
            guard !Self.fits(literal, type.name) else { return }
            violate(.invalidValue(.notOfScalar(literal, type: type.name), place: place), location)
        case .object, .interface, .union:
            violate(.invalidValue(.notAnInputType(type.name), place: place), location)
        }
    }

    private mutating func checkObject(
        _ literal: GraphLiteral,
        _ type: GraphSchemaType,
        _ place: GraphValuePlace,
        _ location: GraphLocation
    ) {
        guard case .object(let members) = literal else {
            return violate(.invalidValue(.notAnObject(type: type.name), place: place), location)
        }
        var names: Set<String> = []
        for member in members {
            path.append(member.name)
            defer { path.removeLast() }
            guard names.insert(member.name).inserted else {
                violate(.invalidValue(.repeatedMember(member.name, type: type.name), place: place), location)
                continue
            }
            guard let field = type.field(member.name) else {
                violate(.invalidValue(.undefinedMember(member.name, type: type), place: place), location)
                continue
            }
            deprecate("\(type.name).\(field.name)", field.deprecation, location)
            var inner = place
            inner.member = member.name
            check(member.value, field.type, hasDefault: field.defaultValue != nil, inner, location)
        }
        for field in type.fields where field.isRequired && !names.contains(field.name) {
            violate(.invalidValue(.missingMember(field, type: type.name), place: place), location)
        }
    }

    private static func fits(_ literal: GraphLiteral, _ scalar: String) -> Bool {
        switch (scalar, literal) {
        case ("Int", .number(let text)): Int32(text) != nil
        case ("Float", .number): true
        case ("String", .string), ("Boolean", .bool), ("ID", .string): true
        case ("ID", .number(let text)): text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) }
        case ("String", _), ("Int", _), ("Float", _), ("Boolean", _), ("ID", _): false
        // Only the API knows the valid values of a custom scalar.
        default: true
        }
    }
}

extension GraphArgumentOwner {
    /// `Type.field` or `@directive`.
    package var coordinate: String {
        switch self {
        case .field(let name, let type): "\(type).\(name)"
        case .directive(let name): "@\(name)"
        }
    }
}
