internal import GraphQLLanguage

extension Validator {
    mutating func check(
        _ given: [GraphArgument],
        _ defined: [SchemaField],
        of owner: String,
        _ location: GraphLocation
    ) {
        var names: Set<String> = []
        for argument in given {
            guard names.insert(argument.name).inserted else {
                fail(argument.location, "\(owner) is given the argument \"\(argument.name)\" twice.")
                continue
            }
            guard let definition = defined.first(where: { $0.name == argument.name }) else {
                let hint = Suggestion.text(for: argument.name, among: defined.map(\.name))
                fail(argument.location, "\(owner) has no argument \"\(argument.name)\".\(hint)")
                continue
            }
            if let reason = definition.deprecation {
                warn(deprecated: "\(owner)(\(argument.name):)", reason, argument.location)
            }
            check(argument.value, definition.type, hasDefault: definition.hasDefault, argument.name, argument.location)
        }
        for definition in defined where definition.isRequired && !names.contains(definition.name) {
            fail(location, "\(owner) needs the argument \"\(definition.name)\" of type \(definition.type).")
        }
    }

    /// Checks a literal against the type of its place and notes the variables in it.
    private mutating func check(
        _ literal: GraphLiteral,
        _ type: GraphTypeReference,
        hasDefault: Bool,
        _ place: String,
        _ location: GraphLocation
    ) {
        if case .variable(let name) = literal {
            uses.append(VariableUse(name: name, type: type, hasDefault: hasDefault, location: location, file: file))
            return
        }
        switch type {
        case .nonNull(let inner):
            if case .null = literal { return fail(location, "\"\(place)\" is of type \(type) and cannot be null.") }
            check(literal, inner, hasDefault: false, place, location)
        case .list(let element):
            switch literal {
            case .null: break
            case .list(let elements):
                for item in elements { check(item, element, hasDefault: false, place, location) }
            // One value stands for a list of one.
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
        _ type: SchemaType,
        _ place: String,
        _ location: GraphLocation
    ) {
        switch type.kind {
        case .input: checkObject(literal, type, place, location)
        case .enumeration(let values):
            guard case .enumeration(let word) = literal else {
                return fail(location, "\"\(place)\" is of type \(type.name): write one of its values, without quotes.")
            }
            guard let value = values.first(where: { $0.name == word }) else {
                let hint = Suggestion.text(for: word, among: values.map(\.name))
                return fail(location, "\(type.name) has no value \(word).\(hint)")
            }
            if let reason = value.deprecation { warn(deprecated: "\(type.name).\(word)", reason, location) }
        case .scalar:
            guard !Self.fits(literal, type.name) else { return }
            fail(location, "\"\(place)\" is of type \(type.name), and \(GraphPrinter.text(literal)) is none.")
        case .object, .interface, .union: fail(location, "\(type.name) is no type of input.")
        }
    }

    private mutating func checkObject(
        _ literal: GraphLiteral,
        _ type: SchemaType,
        _ place: String,
        _ location: GraphLocation
    ) {
        guard case .object(let members) = literal else {
            return fail(location, "\"\(place)\" is of type \(type.name): write { … }.")
        }
        var names: Set<String> = []
        for member in members {
            guard names.insert(member.name).inserted else {
                fail(location, "\(type.name) is given \"\(member.name)\" twice.")
                continue
            }
            guard let field = type.field(member.name) else {
                let hint = Suggestion.text(for: member.name, among: type.fields.map(\.name))
                fail(location, "\(type.name) has no field \"\(member.name)\".\(hint)")
                continue
            }
            if let reason = field.deprecation { warn(deprecated: "\(type.name).\(field.name)", reason, location) }
            check(member.value, field.type, hasDefault: field.hasDefault, member.name, location)
        }
        for field in type.fields where field.isRequired && !names.contains(field.name) {
            fail(location, "\(type.name) needs \"\(field.name)\" of type \(field.type).")
        }
    }

    private static func fits(_ literal: GraphLiteral, _ scalar: String) -> Bool {
        switch (scalar, literal) {
        case ("Int", .number(let text)): Int32(text) != nil
        case ("Float", .number): true
        case ("String", .string), ("Boolean", .bool), ("ID", .string): true
        case ("ID", .number(let text)): text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) }
        case ("String", _), ("Int", _), ("Float", _), ("Boolean", _), ("ID", _): false
        // A scalar of the API's own: what fits it, the API knows.
        default: true
        }
    }

    // MARK: Variables

    mutating func checkVariables(of operation: GraphOperation) {
        let (operationFile, operationUses) = (file, uses)
        var declared: [String: GraphVariable] = [:]
        for variable in operation.variables {
            check(variable.directives, at: "VARIABLE_DEFINITION")
            guard declared.updateValue(variable, forKey: variable.name) == nil else {
                fail(variable.location, "The variable $\(variable.name) is declared twice.")
                continue
            }
            guard let type = schema.types[variable.type.leafName], type.isInput else {
                let inputs = schema.types.values.filter(\.isInput).map(\.name).sorted()
                let hint = Suggestion.text(for: variable.type.leafName, among: inputs)
                fail(
                    variable.location,
                    "$\(variable.name) is of type \(variable.type.leafName), which is no type of input.\(hint)"
                )
                continue
            }
            if let literal = variable.defaultValue {
                let known = uses.count
                check(literal, variable.type, hasDefault: false, "$\(variable.name)", variable.location)
                if uses.count > known {
                    fail(variable.location, "The default of $\(variable.name) cannot have a variable in it.")
                }
            }
            if !operationUses.contains(where: { $0.name == variable.name }) {
                fail(variable.location, "The variable $\(variable.name) is declared and not used.")
            }
        }
        for use in operationUses {
            file = use.file
            guard let variable = declared[use.name] else {
                let owner = operation.name ?? ""
                let hint = Suggestion.text(for: use.name, among: declared.keys.sorted())
                fail(use.location, "The operation \(owner) does not declare the variable $\(use.name).\(hint)")
                continue
            }
            if !Self.isAllowed(variable, at: use) {
                fail(use.location, "$\(use.name) is of type \(variable.type), and its place wants \(use.type).")
            }
        }
        file = operationFile
    }

    /// `IsVariableUsageAllowed` of section 5.8.5.
    private static func isAllowed(_ variable: GraphVariable, at use: VariableUse) -> Bool {
        if case .nonNull(let wanted) = use.type {
            if case .nonNull = variable.type { return isCompatible(variable.type, use.type) }
            var hasDefault = use.hasDefault
            if let literal = variable.defaultValue {
                if case .null = literal {} else { hasDefault = true }
            }
            return hasDefault && isCompatible(variable.type, wanted)
        }
        return isCompatible(variable.type, use.type)
    }

    private static func isCompatible(_ type: GraphTypeReference, _ wanted: GraphTypeReference) -> Bool {
        switch (type, wanted) {
        case (.nonNull(let inner), .nonNull(let other)): isCompatible(inner, other)
        case (_, .nonNull): false
        case (.nonNull(let inner), _): isCompatible(inner, wanted)
        case (.list(let inner), .list(let other)): isCompatible(inner, other)
        case (.named(let name), .named(let other)): name == other
        default: false
        }
    }
}
