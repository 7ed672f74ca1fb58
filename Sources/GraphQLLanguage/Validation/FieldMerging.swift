/// Finds different fields with the same response key, because a response can contain only one such field (specification, section 5.3.2).
///
/// The comparison takes exponential time for some documents, so it stops with the violation ``GraphRule/tooComplex`` after
/// ``maximumSteps``, or at a nesting deeper than ``maximumDepth``. A step is a selected field or fragment, a pair of fields, or a byte of
/// compared arguments.
struct FieldMerging {
    private let schema: GraphSchema
    private let documents: GraphDocumentSet
    private var steps = 0
    private var depth = 0
    private var violations: [GraphViolation] = []
    private var path: [String] = []
    static let maximumSteps = 400_000
    private static let maximumDepth = 200

    private static let typename = GraphSchemaField(name: "__typename", type: .nonNull(.named("String")))

    private struct Entry {
        let field: GraphField
        let definition: GraphSchemaField?
        let parent: GraphSchemaType
        let file: String
    }

    private struct Part {
        let selections: [GraphSelection]
        let type: GraphSchemaType
        let file: String
    }

    init(_ schema: GraphSchema, _ documents: GraphDocumentSet) {
        self.schema = schema
        self.documents = documents
    }

    /// Whether the comparison was stopped: all checked operations together took too many steps, or the nesting was too deep.
    var isExhausted: Bool { steps > Self.maximumSteps }

    mutating func check(
        _ selections: [GraphSelection],
        on root: String,
        _ file: String,
        _ path: [String]
    ) -> [GraphViolation] {
        violations = []
        self.path = path
        guard let type = schema.types[root] else { return [] }
        compare([Part(selections: selections, type: type, file: file)], onlyShapes: false)
        if isExhausted {
            violations = [GraphViolation(rule: .tooComplex, file: file, location: nil, path: path)]
        }
        return violations
    }

    private mutating func descend() {
        depth += 1
        if depth > Self.maximumDepth { steps = Self.maximumSteps + 1 }
    }

    private mutating func compare(_ parts: [Part], onlyShapes: Bool) {
        guard !parts.isEmpty else { return }
        descend()
        defer { depth -= 1 }
        guard !isExhausted, violations.count < 20 else { return }
        var keys: [String] = []
        var entries: [String: [Entry]] = [:]
        var seen: Set<String> = []
        for part in parts { collect(part, &keys, &entries, &seen) }
        for key in keys {
            guard let group = entries[key], group.count > 1 || !group[0].field.selections.isEmpty else { continue }
            // Entries with the same parent type, field and arguments have the same type, so only one of these entries is compared.
            var signatures: Set<String> = []
            let different = group.filter { entry in
                guard group.count > 1, !isExhausted else { return false }
                let arguments = GraphPrinter.text(entry.field.arguments)
                steps += arguments.utf8.count
                return signatures.insert("\(entry.parent.name).\(entry.field.name)\(arguments)").inserted
            }
            for (index, later) in different.enumerated().dropFirst() {
                for earlier in different[..<index] {
                    steps += 1
                    guard !isExhausted else { return }
                    guard let rule = conflict(earlier, later, key, onlyShapes) else { continue }
                    let place = later.field.location
                    return violations.append(GraphViolation(rule: rule, file: later.file, location: place, path: path))
                }
            }
            compareInside(group, onlyShapes)
        }
    }

    /// Compares the selections inside fields that have the same response key.
    ///
    /// Fields that cannot belong to the same object need only types of the same shape. Other fields must also have the same name and
    /// arguments.
    private mutating func compareInside(_ group: [Entry], _ onlyShapes: Bool) {
        func parts(_ entries: [Entry]) -> [Part] {
            entries.compactMap { entry in
                guard !entry.field.selections.isEmpty,
                    let type = entry.definition.flatMap({ schema.types[$0.type.leafName] })
                else { return nil }
                return Part(selections: entry.field.selections, type: type, file: entry.file)
            }
        }
        // Entries on different object types cannot belong to the same object, so each object type is compared separately. An entry on
        // an abstract type can belong to an object of any of these types.
        let abstract = group.filter(\.parent.isAbstract)
        let families = Dictionary(grouping: group.filter { !$0.parent.isAbstract }, by: \.parent.name)
        for (_, entries) in families.sorted(by: { $0.key < $1.key }) {
            compare(parts(entries + abstract), onlyShapes: onlyShapes)
        }
        if families.isEmpty {
            compare(parts(abstract), onlyShapes: onlyShapes)
        } else if families.count > 1 || !abstract.isEmpty {
            compare(parts(group), onlyShapes: true)
        }
    }

    private mutating func collect(
        _ part: Part,
        _ keys: inout [String],
        _ entries: inout [String: [Entry]],
        _ seen: inout Set<String>
    ) {
        descend()
        defer { depth -= 1 }
        for selection in part.selections {
            steps += 1
            guard !isExhausted else { return }
            switch selection {
            case .field(let field):
                let key = field.responseKey
                if entries[key] == nil { keys.append(key) }
                let isTypename = field.name == "__typename"
                let definition = isTypename ? Self.typename : part.type.field(field.name)
                entries[key, default: []].append(
                    Entry(field: field, definition: definition, parent: part.type, file: part.file)
                )
            case .spread(let name, _, _):
                guard seen.insert(name).inserted, let fragment = documents.fragments[name],
                    let type = schema.types[fragment.definition.type]
                else { continue }
                let inner = Part(selections: fragment.definition.selections, type: type, file: fragment.file)
                collect(inner, &keys, &entries, &seen)
            case .inline(let condition, _, let inner, _):
                let type = condition.flatMap { schema.types[$0] } ?? part.type
                collect(Part(selections: inner, type: type, file: part.file), &keys, &entries, &seen)
            }
        }
    }

    /// The rule that two fields with the same response key break; nil if a response can contain both.
    private func conflict(_ left: Entry, _ right: Entry, _ key: String, _ onlyShapes: Bool) -> GraphRule? {
        let areApart =
            onlyShapes
            || left.parent.name != right.parent.name && !left.parent.isAbstract && !right.parent.isAbstract
        if !areApart, left.field.name != right.field.name {
            return .conflictingFields(key: key, left.field.name, right.field.name)
        }
        if !areApart, !Self.areSame(left.field.arguments, right.field.arguments) {
            return .conflictingArguments(key: key)
        }
        guard let a = left.definition?.type, let b = right.definition?.type, !haveSameShape(a, b) else { return nil }
        return .conflictingTypes(key: key, a, b)
    }

    private static func areSame(_ left: [GraphArgument], _ right: [GraphArgument]) -> Bool {
        func texts(_ arguments: [GraphArgument]) -> [String] {
            arguments.map { "\($0.name):\(GraphPrinter.text(withSortedMembers($0.value)))" }.sorted()
        }
        return texts(left) == texts(right)
    }

    /// The literal with the members of its objects sorted by name, because their order has no meaning.
    private static func withSortedMembers(_ literal: GraphLiteral) -> GraphLiteral {
        switch literal {
        case .list(let elements): .list(elements.map(withSortedMembers))
        case .object(let members):
            .object(members.map { ($0.name, withSortedMembers($0.value)) }.sorted { $0.0 < $1.0 })
        case .variable, .number, .string, .bool, .null, .enumeration: literal
        }
    }

    private func haveSameShape(_ left: GraphTypeReference, _ right: GraphTypeReference) -> Bool {
        switch (left, right) {
        case (.nonNull(let a), .nonNull(let b)), (.list(let a), .list(let b)): haveSameShape(a, b)
        case (.named(let a), .named(let b)):
            a == b || schema.types[a]?.isComposite == true && schema.types[b]?.isComposite == true
        default: false
        }
    }
}
