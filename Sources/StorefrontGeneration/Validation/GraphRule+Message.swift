internal import GraphQLLanguage

extension GraphRule {
    func message(_ schema: GraphSchema, _ documents: GraphDocumentSet) -> String {
        switch self {
        case .unnamedOperation:
            "The operation has no name. Write `query Name { … }` or `mutation Name { … }`: its Swift type gets this name."
        case .repeatedOperation(let name, let file): "The operation \(name) is defined in \(file) already."
        case .repeatedFragment(let name, let file): "The fragment \(name) is defined in \(file) already."
        case .undefinedFragmentType(let name):
            "The schema has no type \(name).\(Suggestion.text(for: name, among: schema.types.keys.sorted()))"
        case .fragmentOnLeaf(let name):
            schema.types[name]?.isInputObject == true
                ? "\(name) is an input type, which a response does not contain, so a fragment on it selects nothing."
                : "\(name) has no fields, so a fragment on it selects nothing."
        case .fragmentCycle(let names): "The fragment spreads itself: \(names.joined(separator: " → "))."
        case .undefinedFragment(let name):
            "There is no fragment \(name).\(Suggestion.text(for: name, among: documents.fragments.keys.sorted()))"
        case .unusedFragment(let name): "No operation uses the fragment \(name). Use it or remove it."
        case .impossibleFragment(let name, let condition, let type):
            "\(name.map { "The fragment \($0) on \(condition)" } ?? "\"... on \(condition)\"") can never apply here:"
                + " an object of type \(type) is never of type \(condition)."
        case .undefinedRoot(let kind): "The schema has no operations of kind \(kind.rawValue)."
        case .reservedAlias(let alias):
            "The alias \(alias) begins with two underscores. GraphQL reserves such names."
        case .typenameWithContent: "__typename takes no arguments and no selections."
        case .undefinedField(let name, let type):
            "\(type) has no field \"\(name)\" in this schema."
                + Suggestion.text(for: name, among: (schema.types[type]?.fields ?? []).map(\.name))
                + " If an older version had this field, see the API's changelog for its replacement."
        case .missingSelection(let field, let type, let result):
            "\(type).\(field) is of type \(result) and needs a selection: \(field) { … }."
        case .unexpectedSelection(let field, let type, let result):
            "\(type).\(field) is of type \(result), which has no fields to select."
        case .conflictingFields(let key, let first, let second):
            "\"\(key)\" would be both \(first) and \(second). Give one of the fields an alias."
        case .conflictingArguments(let key):
            "\"\(key)\" is selected with different arguments. Give one of the fields an alias."
        case .conflictingTypes(let key, let first, let second):
            "\"\(key)\" would be both \(first) and \(second). Give one of the fields an alias."
        case .tooComplex:
            "The selections of the documents would take too long to check. Use fewer fragments and less nesting."
        case .undefinedDirective(let name):
            "The schema has no directive @\(name)."
                + Suggestion.text(for: name, among: schema.directives.keys.sorted())
        case .misplacedDirective(let name, let allowed):
            "@\(name) is not allowed here. It is allowed at: \(allowed.joined(separator: ", "))."
        case .unsupportedDirective(let name):
            "@\(name) splits the response into several parts, which the client does not read. Use a separate operation."
        case .repeatedDirective(let name): "@\(name) is used twice here."
        case .undefinedArgument(let name, let owner, let known):
            "\(owner.coordinate) has no argument \"\(name)\".\(Suggestion.text(for: name, among: known))"
        case .repeatedArgument(let name, let owner): "\(owner.coordinate) is given the argument \"\(name)\" twice."
        case .missingArguments(let arguments, let owner):
            arguments.map { "\(owner.coordinate) needs the argument \"\($0.name)\" of type \($0.type)." }
                .joined(separator: " ")
        case .invalidValue(let problem, let place): problem.message(at: place.member)
        case .repeatedVariable(let name): "The variable $\(name) is declared twice."
        case .undefinedVariableType(let type, let name):
            "$\(name) is of type \(type), which is not an input type of the schema."
                + Suggestion.text(for: type, among: schema.types.values.filter(\.isInput).map(\.name).sorted())
        case .unusedVariable(let name, _): "The variable $\(name) is declared and not used."
        case .undefinedVariable(let name, let operation):
            "The operation\(operation.name.map { " \($0)" } ?? "") does not declare the variable $\(name)."
                + Suggestion.text(for: name, among: operation.variables.map(\.name).sorted())
        case .mismatchedVariable(let name, let type, _, let wanted):
            "$\(name) is of type \(type), but it is used where \(wanted) is needed."
        case .variableInDefault(let name): "The default of $\(name) cannot contain a variable."
        }
    }
}

extension GraphValueProblem {
    fileprivate func message(at member: String) -> String {
        switch self {
        case .null(let type): "\"\(member)\" is of type \(type) and cannot be null."
        case .notAnEnumValue(let type):
            "\"\(member)\" is of type \(type): write one of its values, without quotes."
        case .undefinedEnumValue(let word, let type):
            "\(type.name) has no value \(word).\(Suggestion.text(for: word, among: type.enumValueNames))"
        case .notOfScalar(let literal, let type):
            "\"\(member)\" is of type \(type); \(GraphPrinter.text(literal)) does not fit."
        case .notAnObject(let type): "\"\(member)\" is of type \(type): write { … }."
        case .notAnInputType(let type): "\(type) is not an input type."
        case .repeatedMember(let name, let type): "\(type) is given \"\(name)\" twice."
        case .undefinedMember(let name, let type):
            "\(type.name) has no field \"\(name)\".\(Suggestion.text(for: name, among: type.fields.map(\.name)))"
        case .missingMember(let field, let type): "\(type) needs \"\(field.name)\" of type \(field.type)."
        }
    }
}

extension GraphSchemaType {
    fileprivate var enumValueNames: [String] {
        guard case .enumeration(let values) = kind else { return [] }
        return values.map(\.name)
    }
}
