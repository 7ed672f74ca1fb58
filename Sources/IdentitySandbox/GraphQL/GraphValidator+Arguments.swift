internal import GraphQLLanguage
internal import IdentityKit

extension GraphValidator {
    mutating func check(
        _ given: [GraphArgument],
        _ defined: [GraphSchemaField],
        of owner: String,
        _ path: [String],
        _ location: GraphLocation
    ) {
        for argument in given {
            guard let definition = defined.first(where: { $0.name == argument.name }) else {
                fail(
                    "\(owner) doesn't accept argument '\(argument.name)'",
                    "argumentNotAccepted",
                    path + [argument.name],
                    argument.location,
                    ["argumentName": .string(argument.name)]
                )
                continue
            }
            check(argument.value, definition.type, definition, path + [argument.name], argument.location)
        }
        let missing = defined.filter { wanted in wanted.isRequired && !given.contains { $0.name == wanted.name } }
        if !missing.isEmpty {
            fail(
                "\(owner) is missing required arguments: \(missing.map(\.name).joined(separator: ", "))",
                "missingRequiredArguments",
                path,
                location
            )
        }
    }

    private mutating func check(
        _ literal: GraphLiteral,
        _ type: GraphTypeReference,
        _ definition: GraphSchemaField,
        _ path: [String],
        _ location: GraphLocation
    ) {
        let known = errors.count
        let hasVariables = noteVariables(in: literal, type, definition, path, location)
        // With variables inside, the values are checked when they are there: GraphRun.arguments.
        guard !hasVariables, errors.count == known else { return }
        do { _ = try schema.coerce(literal, to: type, variables: [:]) } catch {
            fail(
                "Argument '\(definition.name)' has an invalid value. Expected type '\(type)'. \(error.explanation)",
                "argumentLiteralsIncompatible",
                path,
                location,
                ["argumentName": .string(definition.name)]
            )
        }
    }

    /// Marks variables as used and checks that a variable's type fits its place and that members of objects exist.
    ///
    /// Returns whether there are variables in it.
    private mutating func noteVariables(
        in literal: GraphLiteral,
        _ type: GraphTypeReference,
        _ definition: GraphSchemaField,
        _ path: [String],
        _ location: GraphLocation
    ) -> Bool {
        switch literal {
        case .variable(let name):
            note(variable: name, type, definition, path, location)
            return true
        case .list(let elements):
            guard case .list(let element) = type.withoutNonNull else { return false }
            var hasVariables = false
            for item in elements where noteVariables(in: item, element, definition, path, location) {
                hasVariables = true
            }
            return hasVariables
        case .object(let members):
            var hasVariables = false
            for member in members {
                guard let field = schema.types[type.leafName]?.field(member.name) else {
                    fail(
                        "InputObject '\(type.leafName)' doesn't accept argument '\(member.name)'",
                        "argumentNotAccepted",
                        path + [member.name],
                        location,
                        ["argumentName": .string(member.name)]
                    )
                    continue
                }
                if noteVariables(in: member.value, field.type, field, path + [member.name], location) {
                    hasVariables = true
                }
            }
            return hasVariables
        case .number, .string, .bool, .null, .enumeration: return false
        }
    }

    private mutating func note(
        variable name: String,
        _ type: GraphTypeReference,
        _ definition: GraphSchemaField,
        _ path: [String],
        _ location: GraphLocation
    ) {
        usedVariables.insert(name)
        guard let variable = operation.variables.first(where: { $0.name == name }) else {
            return fail(
                "Variable $\(name) is used by \(operation.name ?? "the operation") but not declared",
                "variableNotDefined",
                path,
                location,
                ["variableName": .string(name)]
            )
        }
        let allowsNull = definition.defaultValue != nil || variable.defaultValue != nil
        guard Self.fits(variable.type, type, allowsNull: allowsNull) else {
            return fail(
                "Type mismatch on variable $\(name) and argument \(definition.name) (\(variable.type) / \(type))",
                "variableMismatch",
                path,
                location,
                ["variableName": .string(name)]
            )
        }
    }

    private static func fits(_ variable: GraphTypeReference, _ place: GraphTypeReference, allowsNull: Bool) -> Bool {
        switch (variable, place) {
        case (.nonNull(let a), .nonNull(let b)): fits(a, b, allowsNull: false)
        case (_, .nonNull(let b)): allowsNull && fits(variable, b, allowsNull: false)
        case (.nonNull(let a), _): fits(a, place, allowsNull: false)
        case (.list(let a), .list(let b)): fits(a, b, allowsNull: false)
        // One value stands for a list of one.
        case (.named, .list(let b)): fits(variable, b, allowsNull: false)
        case (.named(let a), .named(let b)): a == b
        case (.list, .named): false
        }
    }

    mutating func check(_ directives: [GraphDirective], _ path: [String]) {
        for directive in directives {
            guard let arguments = GraphExecutor.directives[directive.name] else {
                fail(
                    "Directive @\(directive.name) is not defined",
                    "undefinedDirective",
                    path,
                    directive.location,
                    ["directiveName": .string(directive.name)]
                )
                continue
            }
            check(directive.arguments, arguments, of: "Directive '\(directive.name)'", path, directive.location)
        }
    }
}

extension GraphTypeReference {
    var withoutNonNull: GraphTypeReference {
        if case .nonNull(let inner) = self { inner } else { self }
    }
}
