internal import GraphQLLanguage
internal import IdentityKit

/// Checks a document against a schema before anything runs, with the codes that the service answers.
struct GraphValidator {
    let schema: GraphSchema
    let operation: GraphOperation
    private let fragments: [String: GraphFragment]
    var usedVariables: Set<String> = []
    private var usedFragments: Set<String> = []
    private var openFragments: Set<String> = []
    private(set) var errors: [GraphError] = []
    private var visited = 0

    static func check(_ document: GraphDocument, _ operation: GraphOperation, _ schema: GraphSchema) -> [GraphError] {
        var validator = GraphValidator(document, operation, schema)
        validator.run()
        if document.operations.count == 1 {
            for fragment in document.fragments where !validator.usedFragments.contains(fragment.name) {
                validator.fail(
                    "Fragment \(fragment.name) was defined, but not used",
                    "useAndDefineFragment",
                    ["fragment \(fragment.name)"],
                    fragment.location,
                    ["fragmentName": .string(fragment.name)]
                )
            }
        }
        return validator.errors
    }

    private init(_ document: GraphDocument, _ operation: GraphOperation, _ schema: GraphSchema) {
        self.schema = schema
        self.operation = operation
        fragments = Dictionary(document.fragments.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private mutating func run() {
        let path = [operation.pathName]
        let root = operation.kind == .query ? GraphSchema.queryType : GraphSchema.mutationType
        guard schema.types[root] != nil else {
            return fail(
                "Schema is not configured for \(operation.kind.rawValue)s",
                "missingOperation",
                path,
                operation.location
            )
        }
        for variable in operation.variables {
            guard let type = schema.types[variable.type.leafName], !type.isComposite else {
                let name = variable.type.leafName
                fail(
                    "\(name) isn't a defined input type (on $\(variable.name))",
                    "variableRequiresValidType",
                    path,
                    variable.location,
                    ["typeName": .string(name), "variableName": .string(variable.name)]
                )
                continue
            }
        }
        check(operation.directives, path)
        check(operation.selections, on: root, path)
        for variable in operation.variables where !usedVariables.contains(variable.name) {
            let owner = operation.name ?? "anonymous \(operation.kind.rawValue)"
            fail(
                "Variable $\(variable.name) is declared by \(owner) but not used",
                "variableNotUsed",
                path,
                variable.location,
                ["variableName": .string(variable.name)]
            )
        }
    }

    mutating func fail(
        _ message: String,
        _ code: String,
        _ path: [String],
        _ location: GraphLocation,
        _ details: JSONObject = [:]
    ) {
        guard errors.count < 100 else { return }
        let error = GraphError(
            message: message,
            code: code,
            path: path.map { .string($0) },
            locations: [location],
            details: details
        )
        errors.append(error)
    }

    // MARK: Selections

    private mutating func check(_ selections: [GraphSelection], on typeName: String, _ path: [String]) {
        var names: [String: String] = [:]
        for selection in selections {
            visited += 1
            // Fragments that spread others can grow exponentially.
            guard visited < 20_000 else { return }
            switch selection {
            case .field(let field):
                if let other = names.updateValue(field.name, forKey: field.responseKey), other != field.name {
                    fail(
                        "Field '\(field.responseKey)' has a field conflict: \(other) or \(field.name)?",
                        "fieldConflict",
                        path,
                        field.location,
                        ["fieldName": .string(field.responseKey)]
                    )
                }
                check(field, on: typeName, path + [field.responseKey])
            case .spread(let name, let directives, let location):
                check(directives, path)
                checkSpread(name, on: typeName, path, location)
            case .inline(let condition, let directives, let inner, let location):
                check(directives, path)
                checkCondition(
                    condition ?? typeName,
                    inner,
                    on: typeName,
                    path + ["... on \(condition ?? typeName)"],
                    location
                )
            }
        }
    }

    private mutating func checkSpread(_ name: String, on typeName: String, _ path: [String], _ location: GraphLocation)
    {
        guard let fragment = fragments[name] else {
            return fail(
                "Fragment \(name) was used, but not defined",
                "useAndDefineFragment",
                path + ["... \(name)"],
                location,
                ["fragmentName": .string(name)]
            )
        }
        usedFragments.insert(name)
        guard openFragments.insert(name).inserted else {
            return fail("Fragment \(name) contains an infinite loop", "infiniteLoop", path, location)
        }
        checkCondition(fragment.type, fragment.selections, on: typeName, ["fragment \(name)"], fragment.location)
        openFragments.remove(name)
    }

    private mutating func checkCondition(
        _ condition: String,
        _ selections: [GraphSelection],
        on typeName: String,
        _ path: [String],
        _ location: GraphLocation
    ) {
        guard let type = schema.types[condition] else {
            return fail(
                "No such type \(condition), so it can't be a fragment condition",
                "undefinedType",
                path,
                location,
                ["typeName": .string(condition)]
            )
        }
        guard type.isComposite, !schema.possibleTypes(condition).isDisjoint(with: schema.possibleTypes(typeName)) else {
            return fail(
                "Fragment on \(condition) can't be spread inside \(typeName)",
                "cannotSpreadFragment",
                path,
                location,
                ["typeName": .string(condition)]
            )
        }
        check(selections, on: condition, path)
    }

    private mutating func check(_ field: GraphField, on typeName: String, _ path: [String]) {
        check(field.directives, path)
        if field.name == "__typename" { return }
        guard let definition = schema.types[typeName]?.field(field.name) else {
            return fail(
                "Field '\(field.name)' doesn't exist on type '\(typeName)'",
                "undefinedField",
                path,
                field.location,
                ["typeName": .string(typeName), "fieldName": .string(field.name)]
            )
        }
        check(field.arguments, definition.arguments, of: "Field '\(field.name)'", path, field.location)
        let leaf = definition.type.leafName
        if schema.types[leaf]?.isComposite == true {
            guard !field.selections.isEmpty else {
                return fail(
                    "Field must have selections (field '\(field.name)' returns \(leaf) but has no selections. Did you mean '\(field.name) { ... }'?)",
                    "selectionMismatch",
                    path,
                    field.location,
                    ["nodeName": .string("field '\(field.name)'"), "typeName": .string(leaf)]
                )
            }
            check(field.selections, on: leaf, path)
        } else if !field.selections.isEmpty {
            fail(
                "Selections can't be made on scalars (field '\(field.name)' returns \(leaf) but has selections)",
                "selectionMismatch",
                path,
                field.location,
                ["nodeName": .string("field '\(field.name)'"), "typeName": .string(leaf)]
            )
        }
    }
}
