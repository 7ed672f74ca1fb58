extension GraphValidator {
    private struct Requirement: Hashable {
        let name: String
        let type: GraphTypeReference
        let hasDefault: Bool
    }

    /// Groups uses of the same variable with the same required type and `hasDefault`, so that an operation checks each group only once.
    static func grouped(_ uses: [VariableUse]) -> [[VariableUse]] {
        var groups: [[VariableUse]] = []
        var indices: [Requirement: Int] = [:]
        for use in uses {
            let requirement = Requirement(name: use.name, type: use.type, hasDefault: use.hasDefault)
            if let index = indices[requirement] {
                groups[index].append(use)
            } else {
                indices[requirement] = groups.count
                groups.append([use])
            }
        }
        return groups
    }

    /// Compares the variables that an operation declares with the groups of their uses in the operation and its fragments.
    mutating func checkVariables(of operation: GraphOperation, uses groups: [[VariableUse]]) {
        let used = Set(groups.map { $0[0].name })
        var declared: [String: GraphVariable] = [:]
        for variable in operation.variables {
            check(variable.directives, at: "VARIABLE_DEFINITION")
            if declared.updateValue(variable, forKey: variable.name) != nil {
                violate(.repeatedVariable(variable.name), variable.location)
            } else if schema.types[variable.type.leafName]?.isInput != true {
                violate(.undefinedVariableType(variable.type.leafName, of: variable.name), variable.location)
            } else {
                checkDefault(of: variable)
                if !used.contains(variable.name) {
                    violate(.unusedVariable(variable.name, operation: operation), variable.location)
                }
            }
        }
        for group in groups where violations.count < Self.maximumViolations {
            let variable = declared[group[0].name]
            if let variable, Self.isAllowed(variable, at: group[0]) { continue }
            for use in group {
                (file, path) = (use.file, use.path)
                let rule: GraphRule =
                    if let variable {
                        .mismatchedVariable(use.name, variable.type, argument: use.argument, use.type)
                    } else {
                        .undefinedVariable(use.name, operation: operation)
                    }
                violate(rule, use.location)
            }
        }
    }

    private mutating func checkDefault(of variable: GraphVariable) {
        guard let literal = variable.defaultValue else { return }
        let known = uses.count
        let name = "$\(variable.name)"
        let place = GraphValuePlace(argument: name, argumentType: variable.type, owner: nil, member: name)
        check(literal, variable.type, hasDefault: false, place, variable.location)
        if uses.count > known { violate(.variableInDefault(variable.name), variable.location) }
    }

    /// The algorithm `IsVariableUsageAllowed` of the GraphQL specification, section 5.8.5.
    private static func isAllowed(_ variable: GraphVariable, at use: VariableUse) -> Bool {
        let hasDefault =
            switch variable.defaultValue {
            case nil, .null?: use.hasDefault
            default: true
            }
        guard hasDefault, case .nonNull(let wanted) = use.type else { return isCompatible(variable.type, use.type) }
        return isCompatible(variable.type, wanted)
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
