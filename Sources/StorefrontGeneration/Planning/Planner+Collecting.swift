internal import GraphQLLanguage

extension Planner {
    /// The selections under one response key.
    struct CollectedField {
        let key: String
        var fields: [GraphField]
        /// Whether a directive can omit the field in every place where it is selected.
        var isConditional: Bool
    }

    /// A collected selection set.
    struct Collected {
        var fields: [CollectedField] = []
        /// The fragments that always apply.
        var spreads: [String] = []
        /// The selections that apply only to some types.
        var conditions: [(type: String, selections: [GraphSelection])] = []
        var location: GraphLocation?
    }

    mutating func collect(_ selections: [GraphSelection], _ parent: GraphSchemaType) -> Collected {
        var collected = Collected()
        collect(selections, parent, isConditional: false, into: &collected)
        return collected
    }

    private static func isConditional(_ directives: [GraphDirective]) -> Bool {
        directives.contains { $0.name == "include" || $0.name == "skip" }
    }

    private mutating func collect(
        _ selections: [GraphSelection],
        _ parent: GraphSchemaType,
        isConditional: Bool,
        into collected: inout Collected
    ) {
        for selection in selections {
            switch selection {
            case .field(let field):
                if collected.location == nil { collected.location = field.location }
                let isConditional = isConditional || Self.isConditional(field.directives)
                if let index = collected.fields.firstIndex(where: { $0.key == field.responseKey }) {
                    collected.fields[index].fields.append(field)
                    collected.fields[index].isConditional = collected.fields[index].isConditional && isConditional
                } else {
                    let entry = CollectedField(key: field.responseKey, fields: [field], isConditional: isConditional)
                    collected.fields.append(entry)
                }
            case .spread(let name, let directives, let location):
                if collected.location == nil { collected.location = location }
                if isConditional || Self.isConditional(directives) {
                    fail(
                        file,
                        location,
                        "A response does not show whether a fragment was omitted. Put @include or @skip on fields instead."
                    )
                    continue
                }
                guard let type = documents.fragments[name]?.definition.type else { continue }
                if schema.isAlways(parent.name, a: type) {
                    if !collected.spreads.contains(name) { collected.spreads.append(name) }
                } else {
                    Self.append([selection], on: type, to: &collected)
                }
            case .inline(let condition, let directives, let inner, let location):
                if collected.location == nil { collected.location = location }
                let isConditional = isConditional || Self.isConditional(directives)
                if let condition, !schema.isAlways(parent.name, a: condition) {
                    // The directives are moved with the selections, to an inline fragment without type.
                    let kept = directives.filter { Self.isConditional([$0]) }
                    let wrapped =
                        kept.isEmpty
                        ? inner : [.inline(type: nil, directives: kept, selections: inner, location: location)]
                    Self.append(wrapped, on: condition, to: &collected)
                } else {
                    collect(inner, parent, isConditional: isConditional, into: &collected)
                }
            }
        }
    }

    private static func append(_ selections: [GraphSelection], on type: String, to collected: inout Collected) {
        if let index = collected.conditions.firstIndex(where: { $0.type == type }) {
            collected.conditions[index].selections += selections
        } else {
            collected.conditions.append((type, selections))
        }
    }
}
