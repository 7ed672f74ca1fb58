internal import GraphQLLanguage

extension Planner {
    /// The selected fields of one object that have the same response key.
    struct CollectedField {
        let key: String
        var fields: [GraphField]
        /// For each of the fields, the directives `@include` and `@skip` that can omit it: its own and those of inline fragments around it.
        var conditions: [[GraphDirective]]

        /// Whether a directive can omit the field in every place where it is selected.
        var isConditional: Bool { conditions.allSatisfy { !$0.isEmpty } }

        /// The selections inside the fields.
        ///
        /// If the fields have different conditions, each field's selections become an inline fragment with its conditions. Fragments that
        /// all fields spread stay outside of these inline fragments.
        var selections: [GraphSelection] {
            guard Set(conditionTexts).count > 1 else { return fields.flatMap(\.selections) }
            return sharedSpreads
                + zip(fields, conditions).map { field, conditions in
                    .inline(type: nil, directives: conditions, selections: field.selections, location: field.location)
                }
        }

        private var conditionTexts: [Set<String>] {
            conditions.map { Set($0.map { "\($0.name) \(GraphPrinter.text($0.arguments))" }) }
        }

        /// The fragments that every field spreads without a directive.
        private var sharedSpreads: [GraphSelection] {
            fields[0].selections.filter { selection in
                guard case .spread(let name, _, _) = selection else { return false }
                return fields.allSatisfy { $0.selections.contains { $0.isSpread(of: name) } }
            }
        }

        /// Whether a response can have this field's key because of `other`, but not the required subfields, because directives omit them.
        func isIncomplete(besides other: CollectedField) -> Bool {
            let texts = Set(conditionTexts)
            guard isConditional, texts.count == 1 || !sharedSpreads.isEmpty else { return false }
            return other.conditionTexts.contains { text in !texts.contains { $0.isSubset(of: text) } }
        }
    }

    /// A selection set: fields grouped by response key, and selections with a type condition grouped by type.
    struct Collected {
        var fields: [CollectedField] = []
        /// The fragments that always apply.
        var spreads: [String] = []
        /// The fragments that are spread in a place where a directive can omit them.
        var conditionalSpreads: [(name: String, location: GraphLocation)] = []
        /// The selections that apply only to some types.
        var conditions: [(type: String, selections: [GraphSelection])] = []
        var location: GraphLocation?
    }

    mutating func collect(_ selections: [GraphSelection], _ parent: GraphSchemaType) -> Collected {
        var collected = Collected()
        collect(selections, parent, into: &collected)
        for spread in collected.conditionalSpreads where !collected.spreads.contains(spread.name) {
            fail(
                "A directive may omit this fragment, but a response does not show the omission. Put @include or @skip on fields instead.",
                file,
                spread.location
            )
        }
        return collected
    }

    private static func conditions(_ directives: [GraphDirective]) -> [GraphDirective] {
        directives.filter { $0.name == "include" || $0.name == "skip" }
    }

    func collect(
        _ selections: [GraphSelection],
        _ parent: GraphSchemaType,
        conditions: [GraphDirective] = [],
        into collected: inout Collected
    ) {
        for selection in selections {
            switch selection {
            case .field(let field):
                if collected.location == nil { collected.location = field.location }
                let conditions = conditions + Self.conditions(field.directives)
                if let index = collected.fields.firstIndex(where: { $0.key == field.responseKey }) {
                    collected.fields[index].fields.append(field)
                    collected.fields[index].conditions.append(conditions)
                } else {
                    let entry = CollectedField(key: field.responseKey, fields: [field], conditions: [conditions])
                    collected.fields.append(entry)
                }
            case .spread(let name, let directives, let location):
                if collected.location == nil { collected.location = location }
                guard let type = documents.fragments[name]?.definition.type else { continue }
                let conditions = conditions + Self.conditions(directives)
                if !schema.isAlways(parent.name, a: type) {
                    Self.append([selection], conditions, location, on: type, to: &collected)
                } else if !conditions.isEmpty {
                    collected.conditionalSpreads.append((name, location))
                } else if !collected.spreads.contains(name) {
                    collected.spreads.append(name)
                }
            case .inline(let condition, let directives, let inner, let location):
                if collected.location == nil { collected.location = location }
                let conditions = conditions + Self.conditions(directives)
                if let condition, !schema.isAlways(parent.name, a: condition) {
                    Self.append(inner, conditions, location, on: condition, to: &collected)
                } else {
                    collect(inner, parent, conditions: conditions, into: &collected)
                }
            }
        }
    }

    private static func append(
        _ selections: [GraphSelection],
        _ conditions: [GraphDirective],
        _ location: GraphLocation,
        on type: String,
        to collected: inout Collected
    ) {
        // The selections keep their directives, on an inline fragment without a type condition.
        let selections =
            conditions.isEmpty
            ? selections : [.inline(type: nil, directives: conditions, selections: selections, location: location)]
        if let index = collected.conditions.firstIndex(where: { $0.type == type }) {
            collected.conditions[index].selections += selections
        } else {
            collected.conditions.append((type, selections))
        }
    }
}

extension GraphSelection {
    fileprivate func isSpread(of fragment: String) -> Bool {
        guard case .spread(fragment, let directives, _) = self else { return false }
        return directives.isEmpty
    }
}
