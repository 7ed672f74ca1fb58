internal import GraphQLLanguage

extension Planner {
    /// A selection set that a generated Swift type reads from an object.
    private struct Reader {
        let collected: Collected
        let parent: GraphSchemaType
        let file: String
    }

    /// Rejects a field with a condition (`@include` or `@skip`) that another Swift type reads from the same object without the condition.
    ///
    /// If the condition omits the field, the response still contains the field's key because of the other selection, but not the subfields
    /// that the conditional selection's Swift type requires. So this Swift type could not be read.
    mutating func refuseOverlaps(_ collected: Collected, _ parent: GraphSchemaType) {
        refuseOverlaps([Reader(collected: collected, parent: parent, file: file)], parent)
    }

    private mutating func refuseOverlaps(_ readers: [Reader], _ parent: GraphSchemaType) {
        var checked: Set<[String]> = []
        for concrete in schema.possibleTypes(parent.name).sorted() {
            var fragments: Set<String> = []
            let all = readers.flatMap { self.readers(within: $0, of: concrete, &fragments) }
            // If several object types have the same readers, these readers are checked only once.
            let places = all.map { "\($0.parent.name) \($0.file) \($0.collected.location, default: "")" }
            guard all.count > 1, checked.insert(places).inserted else { continue }
            let fields = all.flatMap { reader in reader.collected.fields.map { (reader: reader, field: $0) } }
            for (key, parts) in Dictionary(grouping: fields, by: \.field.key).sorted(by: { $0.key < $1.key }) {
                guard parts.count > 1, let field = parts.first?.field.fields.first, !field.selections.isEmpty else {
                    continue
                }
                let incomplete = parts.filter { part in
                    parts.contains { part.field.isIncomplete(besides: $0.field) }
                }
                for part in incomplete {
                    fail(
                        "This selection of \"\(key)\" may be omitted, but another fragment or type condition also selects \"\(key)\","
                            + " so a response does not show an omission. Put @include or @skip on the fields inside, or use an alias.",
                        part.reader.file,
                        part.field.fields.first?.location
                    )
                }
                guard incomplete.isEmpty else { continue }
                let inner = parts.compactMap { part in
                    part.reader.parent.field(field.name).flatMap { schema.types[$0.type.leafName] }.map {
                        reader(part.field.selections, $0, part.reader.file)
                    }
                }
                if let type = inner.first?.parent { refuseOverlaps(inner, type) }
            }
        }
    }

    private func reader(_ selections: [GraphSelection], _ parent: GraphSchemaType, _ file: String) -> Reader {
        var collected = Collected()
        collect(selections, parent, into: &collected)
        return Reader(collected: collected, parent: parent, file: file)
    }

    /// This reader, and the readers of its fragments and type conditions that apply to an object of the type `concrete`.
    private func readers(within reader: Reader, of concrete: String, _ fragments: inout Set<String>) -> [Reader] {
        var all = [reader]
        for name in reader.collected.spreads {
            guard fragments.insert(name).inserted, let fragment = documents.fragments[name],
                let type = schema.types[fragment.definition.type]
            else { continue }
            let inner = self.reader(fragment.definition.selections, type, fragment.file)
            all += readers(within: inner, of: concrete, &fragments)
        }
        let applicable = reader.collected.conditions.filter { schema.possibleTypes($0.type).contains(concrete) }
        if let first = applicable.first, let type = schema.types[applicable.count > 1 ? concrete : first.type] {
            let inner = self.reader(applicable.flatMap(\.selections), type, reader.file)
            all += readers(within: inner, of: concrete, &fragments)
        }
        return all
    }
}
