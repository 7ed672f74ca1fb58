internal import GraphQLLanguage
internal import IdentityKit

extension GraphError {
    /// Creates the entry of `errors` that Shopify returns for a document that breaks a rule.
    init(_ violation: GraphViolation) {
        self = Self.entry(for: violation.rule)
        path = violation.path.map { .string($0) }
        locations = violation.location.map { [$0] } ?? []
    }

    private init(_ message: String, _ code: String, _ details: [String: String] = [:]) {
        self.init(message: message, code: code)
        for (name, value) in details.sorted(by: { $0.key < $1.key }) { self.details[name] = .string(value) }
    }

    private static func entry(for rule: GraphRule) -> GraphError {
        switch rule {
        case .unnamedOperation:
            Self("Operation name is required when multiple operations are present", "uniquelyNamedOperations")
        case .repeatedOperation(let name, _):
            Self("Operation name \"\(name)\" must be unique", "uniquelyNamedOperations", ["operationName": name])
        case .undefinedRoot(let kind): Self("Schema is not configured for \(kind.rawValue)s", "missingOperation")
        case .tooComplex: Self("Query is too complex to validate", "queryTooComplex")
        case .repeatedFragment(let name, _):
            Self("Fragment name \"\(name)\" must be unique", "fragmentNotUnique", ["fragmentName": name])
        case .undefinedFragmentType(let type):
            Self("No such type \(type), so it can't be a fragment condition", "undefinedType", ["typeName": type])
        case .fragmentOnLeaf(let type):
            Self(
                "Invalid fragment on type \(type) (must be Union, Interface or Object)",
                "fragmentOnNonCompositeType",
                ["typeName": type]
            )
        case .fragmentCycle(let names):
            Self("Fragment \(names[0]) contains an infinite loop", "infiniteLoop", ["fragmentName": names[0]])
        case .undefinedFragment(let name):
            Self("Fragment \(name) was used, but not defined", "useAndDefineFragment", ["fragmentName": name])
        case .unusedFragment(let name):
            Self("Fragment \(name) was defined, but not used", "useAndDefineFragment", ["fragmentName": name])
        case .impossibleFragment(let name, let condition, let type):
            Self(
                "Fragment \(name.map { "\($0) " } ?? "")on \(condition) can't be spread inside \(type)",
                "cannotSpreadFragment",
                ["typeName": condition]
            )
        case .reservedAlias(let alias): Self("Alias '\(alias)' is reserved", "reservedAlias", ["fieldName": alias])
        case .typenameWithContent:
            Self("Field '__typename' doesn't accept arguments or selections", "argumentNotAccepted")
        case .undefinedField(let name, let type):
            Self(
                "Field '\(name)' doesn't exist on type '\(type)'",
                "undefinedField",
                ["typeName": type, "fieldName": name]
            )
        case .missingSelection(let field, _, let result):
            Self(
                "Field must have selections (field '\(field)' returns \(result.leafName) but has no selections."
                    + " Did you mean '\(field) { ... }'?)",
                "selectionMismatch",
                ["nodeName": "field '\(field)'", "typeName": result.leafName]
            )
        case .unexpectedSelection(let field, _, let result):
            Self(
                "Selections can't be made on scalars (field '\(field)' returns \(result.leafName) but has selections)",
                "selectionMismatch",
                ["nodeName": "field '\(field)'", "typeName": result.leafName]
            )
        case .conflictingFields(let key, let first, let second):
            Self("Field '\(key)' has a field conflict: \(first) or \(second)?", "fieldConflict", ["fieldName": key])
        case .conflictingArguments(let key):
            Self("Field '\(key)' has an argument conflict", "argumentConflict", ["fieldName": key])
        case .conflictingTypes(let key, let first, let second):
            Self(
                "Field '\(key)' has a return_type conflict: `\(first)` or `\(second)`?",
                "returnTypeConflict",
                ["fieldName": key]
            )
        case .undefinedDirective(let name), .unsupportedDirective(let name):
            Self("Directive @\(name) is not defined", "undefinedDirective", ["directiveName": name])
        case .misplacedDirective(let name, let allowed):
            Self(
                "'@\(name)' can't be applied here (allowed: \(allowed.joined(separator: ", ")))",
                "directiveCannotBeApplied",
                ["directiveName": name]
            )
        case .repeatedDirective(let name):
            Self(
                "The directive \"\(name)\" can only be used once at this location.",
                "directiveNotUniqueForLocation",
                ["directiveName": name]
            )
        case .undefinedArgument(let name, let owner, _):
            Self("\(owner.title) doesn't accept argument '\(name)'", "argumentNotAccepted", ["argumentName": name])
        case .repeatedArgument(let name, _):
            Self("There can be only one argument named \"\(name)\"", "argumentNotUnique", ["name": name])
        case .missingArguments(let arguments, let owner):
            Self(
                "\(owner.title) is missing required arguments: \(arguments.map(\.name).joined(separator: ", "))",
                "missingRequiredArguments"
            )
        case .invalidValue(let problem, let place): entry(for: problem, at: place)
        case .repeatedVariable(let name):
            Self("There can only be one variable named \"\(name)\"", "variableNotUnique", ["variableName": name])
        case .undefinedVariableType(let type, let name):
            Self(
                "\(type) isn't a defined input type (on $\(name))",
                "variableRequiresValidType",
                ["typeName": type, "variableName": name]
            )
        case .unusedVariable(let name, let operation):
            Self(
                "Variable $\(name) is declared by \(operation.title) but not used",
                "variableNotUsed",
                ["variableName": name]
            )
        case .undefinedVariable(let name, let operation):
            Self(
                "Variable $\(name) is used by \(operation.title) but not declared",
                "variableNotDefined",
                ["variableName": name]
            )
        case .mismatchedVariable(let name, let type, let argument, let wanted):
            Self(
                "Type mismatch on variable $\(name) and argument \(argument) (\(type) / \(wanted))",
                "variableMismatch",
                ["variableName": name]
            )
        case .variableInDefault(let name):
            Self("Default value for $\(name) contains a variable", "defaultValueInvalidType", ["variableName": name])
        }
    }

    private static func entry(for problem: GraphValueProblem, at place: GraphValuePlace) -> GraphError {
        switch problem {
        case .repeatedMember(let name, _):
            Self("There can only be one input field named \"\(name)\"", "inputFieldNotUnique", ["name": name])
        case .undefinedMember(let name, let type):
            Self(
                "InputObject '\(type.name)' doesn't accept argument '\(name)'",
                "argumentNotAccepted",
                ["argumentName": name]
            )
        case .missingMember(let field, let type):
            Self(
                "Argument '\(field.name)' on InputObject '\(type)' is required. Expected type \(field.type)",
                "missingRequiredInputObjectAttribute",
                ["argumentName": field.name]
            )
        case .null, .notAnEnumValue, .undefinedEnumValue, .notOfScalar, .notAnObject, .notAnInputType:
            if let owner = place.owner {
                Self(
                    "Argument '\(place.argument)' on \(owner.title) has an invalid value. Expected type '\(place.argumentType)'.",
                    "argumentLiteralsIncompatible",
                    ["argumentName": place.argument]
                )
            } else {
                Self(
                    "Default value for \(place.argument) doesn't match type \(place.argumentType)",
                    "defaultValueInvalidType"
                )
            }
        }
    }
}

extension GraphArgumentOwner {
    fileprivate var title: String {
        switch self {
        case .field(let name, _): "Field '\(name)'"
        case .directive(let name): "Directive '\(name)'"
        }
    }
}

extension GraphOperation {
    fileprivate var title: String { name ?? "anonymous \(kind.rawValue)" }
}
