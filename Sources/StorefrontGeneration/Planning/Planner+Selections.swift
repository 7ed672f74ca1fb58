internal import GraphQLLanguage

extension Planner {
    /// The Swift type for a selection set: the type of a fragment, the type of a shared payload, or a new nested type.
    mutating func selected(
        _ selections: [GraphSelection],
        _ parent: GraphSchemaType,
        name: String,
        comment: String,
        taken: inout Set<String>,
        location: GraphLocation?
    ) -> (type: SwiftType, nested: [OutputType]) {
        let collected = collect(selections, parent)
        if let fragment = onlyFragment(collected, parent) { return (.named(fragment), []) }
        guard countType(location) else { return (.named("String"), []) }
        if let payload = payload(for: collected, parent) {
            return usePayload(payload, collected, parent, &taken, location)
        }
        let name = SwiftNames.type(name, avoiding: taken)
        taken.insert(name)
        let type = type(
            named: name,
            collected: collected,
            parent: parent,
            comment: comment,
            isRedacted: isRedacted(parent.name)
        )
        return (.named(name), [type])
    }

    /// The Swift type of the fragment, if the selection consists of only one fragment; otherwise nil.
    ///
    /// Also nil for a redacted selection whose contents the fragment's type would print. Such a selection gets a separate redacted type,
    /// which contains the fragment's type.
    func onlyFragment(_ collected: Collected, _ parent: GraphSchemaType) -> String? {
        guard collected.fields.isEmpty, collected.conditions.isEmpty, collected.spreads.count == 1,
            let spread = collected.spreads.first
        else { return nil }
        let type = documents.fragments[spread]?.definition.type ?? ""
        let isFragmentRedacted = configuration.redacted.contains(spread) || configuration.redacted.contains(type)
        let isListed = configuration.redacted.contains(parent.name)
        guard isFragmentRedacted || !isListed && (isInRedactedType || !isInRedaction) else { return nil }
        return fragmentNames[spread] ?? spread
    }

    mutating func type(
        named name: String,
        collected: Collected,
        parent: GraphSchemaType,
        comment: String,
        isRedacted: Bool
    ) -> OutputType {
        let outer = (isInRedaction, isInRedactedType)
        isInRedaction = isInRedaction || isRedacted
        isInRedactedType = isInRedactedType || isRedacted
        defer { (isInRedaction, isInRedactedType) = outer }
        refuseOverlaps(collected, parent)
        // An alias can begin with a capital letter, and a struct cannot have a property and a nested type with the same name.
        var taken = topLevel.union([name]).union(collected.fields.map(\.key))
        var nested: [OutputType] = []
        var properties: [OutputProperty] = []
        var names: Set<String> = isRedacted ? ["description", "debugDescription", "customMirror"] : []
        for field in collected.fields {
            // If `__typename` is the only field beside type conditions, it only selects the case of the enum, so it needs no property.
            if field.key == "__typename", !collected.conditions.isEmpty, collected.fields.count == 1 { continue }
            let planned = property(field, parent, &taken, reserved: names)
            names.insert(planned.property.name)
            properties.append(planned.property)
            nested += planned.nested
        }
        for spread in collected.spreads {
            let type = fragmentNames[spread] ?? spread
            let name = names.insertUnique(SwiftNames.lowered(type, reserved: names), suffix: "Fragment")
            let comment = "The fields of the fragment `\(spread)`."
            properties.append(OutputProperty(name: name, type: .named(type), source: .place, comment: comment))
        }
        if !collected.conditions.isEmpty {
            if properties.isEmpty { return choice(named: name, collected, parent, comment, isRedacted) }
            let choiceName = SwiftNames.type("Concrete", avoiding: taken)
            let choiceComment = "The fields that the document selects for only some types of the object."
            nested.append(choice(named: choiceName, collected, parent, choiceComment, isRedacted))
            properties.append(
                OutputProperty(
                    name: names.insertUnique("concrete"),
                    type: .named(choiceName),
                    source: .place,
                    comment: choiceComment
                )
            )
        }
        return OutputType(
            name: name,
            comment: comment,
            content: .object(properties),
            nested: nested,
            isRedacted: isRedacted
        )
    }

    /// Plans an enum with a case for each type condition; an object type to which several conditions apply gets its own case with all of
    /// their selections.
    private mutating func choice(
        named name: String,
        _ collected: Collected,
        _ parent: GraphSchemaType,
        _ comment: String,
        _ isRedacted: Bool
    ) -> OutputType {
        var alone: [String: [String]] = [:]
        var merged: [(type: String, selections: [GraphSelection])] = []
        for concrete in schema.possibleTypes(parent.name).sorted() {
            let applicable = collected.conditions.filter { schema.possibleTypes($0.type).contains(concrete) }
            if applicable.count == 1, let only = applicable.first {
                alone[only.type, default: []].append(concrete)
            } else if applicable.count > 1 {
                merged.append((concrete, applicable.flatMap(\.selections)))
            }
        }
        var groups: [(type: String, typenames: [String], selections: [GraphSelection])] = []
        for condition in collected.conditions {
            guard let typenames = alone[condition.type] else { continue }
            groups.append((condition.type, typenames, condition.selections))
        }
        groups += merged.map { ($0.type, [$0.type], $0.selections) }
        var taken = topLevel.union([name])
        var nested: [OutputType] = []
        var cases: [OutputCase] = []
        var names: Set<String> = ["other", "description", "debugDescription", "customMirror"]
        for group in groups {
            guard let type = schema.types[group.type] else { continue }
            let planned = selected(
                group.selections,
                type,
                name: group.type,
                comment: "The selected fields of a `\(group.type)`.",
                taken: &taken,
                location: collected.location
            )
            let name = names.insertUnique(SwiftNames.lowered(group.type, reserved: names))
            nested += planned.nested
            cases.append(OutputCase(name: name, typenames: group.typenames, type: planned.type))
        }
        return OutputType(name: name, comment: comment, content: .choice(cases), nested: nested, isRedacted: isRedacted)
    }
}
