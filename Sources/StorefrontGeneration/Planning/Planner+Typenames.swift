internal import GraphQLLanguage

extension Planner {
    /// Adds `__typename` to the selections of each object that the generated code reads by its type.
    func withTypenames(_ selections: [GraphSelection], _ parent: String) -> [GraphSelection] {
        var keys: Set<[String]> = []
        find(selections, parent, [], &keys)
        return Self.withTypenames(selections, [], keys)
    }

    /// Finds the objects whose selections depend on the object's type, and records the response keys that lead to each.
    ///
    /// A response merges fields with the same response keys, so all of them get `__typename` if one of them needs it.
    private func find(
        _ selections: [GraphSelection],
        _ parent: String,
        _ keys: [String],
        _ found: inout Set<[String]>
    ) {
        for selection in selections {
            switch selection {
            case .field(let field):
                guard let type = schema.types[parent]?.field(field.name)?.type.leafName else { continue }
                find(field.selections, type, keys + [field.responseKey], &found)
            case .spread(let name, _, _):
                let type = documents.fragments[name]?.definition.type ?? parent
                if !schema.isAlways(parent, a: type) { found.insert(keys) }
            case .inline(let type, _, let inner, _):
                if let type, !schema.isAlways(parent, a: type) { found.insert(keys) }
                find(inner, type ?? parent, keys, &found)
            }
        }
    }

    /// Adds a missing `__typename` to each selection set whose response keys are in `found`.
    ///
    /// If several fields have the same keys, all of them get `__typename`, because a directive can omit one field and keep another.
    private static func withTypenames(
        _ selections: [GraphSelection],
        _ keys: [String],
        _ found: Set<[String]>
    ) -> [GraphSelection] {
        let isSelected = selections.contains { selection in
            guard case .field(let field) = selection, field.responseKey == "__typename" else { return false }
            return field.directives.isEmpty
        }
        let added: [GraphSelection] = found.contains(keys) && !isSelected ? [.field(.typename)] : []
        return added + withTypenamesInFields(selections, keys, found)
    }

    /// Adds a missing `__typename` to the selections of the fields whose response keys are in `found`, also in inline fragments.
    ///
    /// An inline fragment itself gets no `__typename`, because a directive on the inline fragment could omit it.
    private static func withTypenamesInFields(
        _ selections: [GraphSelection],
        _ keys: [String],
        _ found: Set<[String]>
    ) -> [GraphSelection] {
        selections.map { selection in
            switch selection {
            case .field(var field) where !field.selections.isEmpty:
                field.selections = withTypenames(field.selections, keys + [field.responseKey], found)
                return .field(field)
            case .inline(let type, let directives, let inner, let location):
                let inner = withTypenamesInFields(inner, keys, found)
                return .inline(type: type, directives: directives, selections: inner, location: location)
            case .field, .spread: return selection
            }
        }
    }
}
