internal import GraphQLLanguage

extension Planner {
    /// The selections of an object with `__typename` where reading the response needs it.
    func withTypenames(_ selections: [GraphSelection], _ parent: String) -> [GraphSelection] {
        var dependsOnType = false
        var result = withTypenames(selections, parent, &dependsOnType)
        let isSelected = selections.contains { selection in
            guard case .field(let field) = selection, field.responseKey == "__typename" else { return false }
            return field.directives.isEmpty
        }
        if dependsOnType, !isSelected {
            result.insert(.field(.typename), at: 0)
        }
        return result
    }

    /// The selections with `__typename` in fields and not beside them, because a directive of an inline fragment could omit it.
    private func withTypenames(
        _ selections: [GraphSelection],
        _ parent: String,
        _ dependsOnType: inout Bool
    ) -> [GraphSelection] {
        selections.map { selection in
            switch selection {
            case .field(var field):
                if let type = schema.types[parent]?.field(field.name)?.type.leafName {
                    field.selections = withTypenames(field.selections, type)
                }
                return .field(field)
            case .spread(let name, _, _):
                let type = documents.fragments[name]?.definition.type ?? parent
                if !schema.isAlways(parent, a: type) { dependsOnType = true }
                return selection
            case .inline(let type, let directives, let inner, let location):
                if let type, !schema.isAlways(parent, a: type) { dependsOnType = true }
                let inner = withTypenames(inner, type ?? parent, &dependsOnType)
                return .inline(type: type, directives: directives, selections: inner, location: location)
            }
        }
    }
}
