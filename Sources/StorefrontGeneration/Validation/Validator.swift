internal import GraphQLLanguage

/// Checks documents against a schema (GraphQL specification of October 2021, section 5).
///
/// Every definition is walked once; what depends on how fragments are put together is looked up afterwards, so that no document
/// takes more than its own size in work.
struct Validator {
    let schema: Schema
    let documents: DocumentSet
    private(set) var diagnostics: [Diagnostic]
    /// The file of the definition that is being walked.
    var file = ""
    /// The uses of variables in it.
    var uses: [VariableUse] = []
    /// The coordinates of deprecated members, by the definition that uses them.
    private(set) var deprecated: [String: Set<String>] = [:]
    private var owner = ""

    /// A variable at a place.
    struct VariableUse {
        let name: String
        let type: GraphTypeReference
        let hasDefault: Bool
        let location: GraphLocation
        let file: String
    }

    static let maximumDiagnostics = 200

    init(_ schema: Schema, _ documents: DocumentSet) {
        self.schema = schema
        self.documents = documents
        diagnostics = documents.diagnostics
    }

    /// Checks everything; diagnostics come in the order of files and lines.
    mutating func run() {
        var usesByFragment: [String: [VariableUse]] = [:]
        for (name, fragment) in documents.fragments.sorted(by: { $0.key < $1.key }) {
            begin(fragment.file, name)
            check(fragment.definition)
            usesByFragment[name] = uses
        }
        checkCycles()
        var reachable: Set<String> = []
        for operation in documents.operations {
            begin(operation.file, operation.definition.name ?? "")
            check(operation.definition)
            let fragments = documents.fragments(reachableFrom: operation.definition.selections)
            for fragment in fragments {
                reachable.insert(fragment.definition.name)
                uses += usesByFragment[fragment.definition.name] ?? []
            }
            checkVariables(of: operation.definition)
        }
        for (name, fragment) in documents.fragments where !reachable.contains(name) {
            file = fragment.file
            fail(fragment.definition.location, "No operation uses the fragment \(name). Use it or remove it.")
        }
        guard !diagnostics.contains(where: { $0.severity == .error }) else { return sort() }
        var merging = FieldMerging(schema, documents)
        for operation in documents.operations {
            guard let root = schema.root(operation.definition.kind) else { continue }
            diagnostics += merging.check(operation.definition.selections, on: root, operation.file)
        }
        sort()
    }

    private mutating func sort() {
        diagnostics = diagnostics.sorted {
            ($0.file, $0.location?.line ?? 0, $0.location?.column ?? 0, $0.message)
                < ($1.file, $1.location?.line ?? 0, $1.location?.column ?? 0, $1.message)
        }
    }

    private mutating func begin(_ file: String, _ owner: String) {
        self.file = file
        self.owner = owner
        uses = []
    }

    mutating func fail(_ location: GraphLocation?, _ message: String) {
        guard diagnostics.count < Self.maximumDiagnostics else { return }
        diagnostics.append(Diagnostic(severity: .error, file: file, location: location, message: message))
    }

    mutating func warn(deprecated coordinate: String, _ reason: String, _ location: GraphLocation) {
        deprecated[owner, default: []].insert(coordinate)
        guard diagnostics.count < Self.maximumDiagnostics else { return }
        let message = "\(coordinate) is deprecated: \(PlainText.line(reason))"
        diagnostics.append(Diagnostic(severity: .warning, file: file, location: location, message: message))
    }

    // MARK: Definitions

    private mutating func check(_ fragment: GraphFragment) {
        check(fragment.directives, at: "FRAGMENT_DEFINITION")
        guard let type = schema.types[fragment.type] else {
            return fail(
                fragment.location,
                "The schema has no type \(fragment.type).\(Suggestion.text(for: fragment.type, among: schema.types.keys.sorted()))"
            )
        }
        guard type.isComposite else {
            return fail(fragment.location, "\(fragment.type) has no fields, so a fragment on it selects nothing.")
        }
        check(fragment.selections, on: type)
    }

    private mutating func check(_ operation: GraphOperation) {
        check(operation.directives, at: operation.kind == .query ? "QUERY" : "MUTATION")
        guard let root = schema.root(operation.kind).flatMap({ schema.types[$0] }) else {
            return fail(operation.location, "The schema has no \(operation.kind.rawValue)s.")
        }
        check(operation.selections, on: root)
    }

    private mutating func checkCycles() {
        var isDone: Set<String> = []
        for start in documents.fragments.keys.sorted() where !isDone.contains(start) {
            var path: [(name: String, rest: [String])] = [(start, spreads(of: start))]
            while let last = path.last {
                guard let next = last.rest.first else {
                    isDone.insert(last.name)
                    path.removeLast()
                    continue
                }
                path[path.count - 1].rest.removeFirst()
                if let index = path.firstIndex(where: { $0.name == next }) {
                    let names = (path[index...].map(\.name) + [next]).joined(separator: " → ")
                    file = documents.fragments[next]?.file ?? ""
                    fail(documents.fragments[next]?.definition.location, "The fragment spreads itself: \(names).")
                } else if !isDone.contains(next) {
                    path.append((next, spreads(of: next)))
                }
            }
        }
    }

    private func spreads(of fragment: String) -> [String] {
        let names = documents.fragments[fragment].map { DocumentSet.spreads(in: $0.definition.selections) } ?? []
        return Set(names).filter { documents.fragments[$0] != nil }.sorted()
    }

    // MARK: Selections

    private mutating func check(_ selections: [GraphSelection], on type: SchemaType) {
        for selection in selections {
            switch selection {
            case .field(let field): check(field, on: type)
            case .spread(let name, let directives, let location):
                check(directives, at: "FRAGMENT_SPREAD")
                guard let fragment = documents.fragments[name]?.definition else {
                    let hint = Suggestion.text(for: name, among: documents.fragments.keys.sorted())
                    fail(location, "There is no fragment \(name).\(hint)")
                    continue
                }
                checkPossible(fragment.type, in: type, "The fragment \(name) on \(fragment.type)", location)
            case .inline(let condition, let directives, let inner, let location):
                check(directives, at: "INLINE_FRAGMENT")
                guard let condition else {
                    check(inner, on: type)
                    continue
                }
                guard let narrowed = schema.types[condition], narrowed.isComposite else {
                    let hint = Suggestion.text(for: condition, among: schema.types.keys.sorted())
                    fail(location, "The schema has no type \(condition) with fields.\(hint)")
                    continue
                }
                checkPossible(condition, in: type, "\"... on \(condition)\"", location)
                check(inner, on: narrowed)
            }
        }
    }

    private mutating func checkPossible(
        _ condition: String,
        in type: SchemaType,
        _ what: String,
        _ location: GraphLocation
    ) {
        guard schema.types[condition]?.isComposite == true else { return }
        if schema.possibleTypes(condition).isDisjoint(with: schema.possibleTypes(type.name)) {
            fail(location, "\(what) can never apply here: a \(type.name) is never a \(condition).")
        }
    }

    private mutating func check(_ field: GraphField, on type: SchemaType) {
        check(field.directives, at: "FIELD")
        if let alias = field.alias, alias.utf8.starts(with: "__".utf8) {
            fail(field.location, "The alias \(alias) begins with two underscores, which GraphQL keeps for itself.")
        }
        if field.name == "__typename" {
            if !field.arguments.isEmpty || !field.selections.isEmpty {
                fail(field.location, "__typename takes neither arguments nor selections.")
            }
            return
        }
        guard let definition = type.field(field.name) else {
            let hint = Suggestion.text(for: field.name, among: type.fields.map(\.name))
            return fail(
                field.location,
                "\(type.name) has no field \"\(field.name)\" in this schema.\(hint)"
                    + " If an older version had it, it was removed: see the API's changelog for what replaces it."
            )
        }
        let coordinate = "\(type.name).\(field.name)"
        if let reason = definition.deprecation { warn(deprecated: coordinate, reason, field.location) }
        check(field.arguments, definition.arguments, of: coordinate, field.location)
        guard let result = schema.types[definition.type.leafName] else { return }
        if result.isComposite {
            guard !field.selections.isEmpty else {
                return fail(
                    field.location,
                    "\(coordinate) is of type \(definition.type) and needs a selection: \(field.name) { … }."
                )
            }
            check(field.selections, on: result)
        } else if !field.selections.isEmpty {
            fail(field.location, "\(coordinate) is of type \(definition.type), which has no fields to select.")
        }
    }

    mutating func check(_ directives: [GraphDirective], at place: String) {
        var names: Set<String> = []
        for directive in directives {
            guard let definition = schema.directives[directive.name] else {
                let hint = Suggestion.text(for: directive.name, among: schema.directives.keys.sorted())
                fail(directive.location, "The schema has no directive @\(directive.name).\(hint)")
                continue
            }
            guard definition.locations.contains(place) else {
                let places = definition.locations.sorted().joined(separator: ", ")
                fail(directive.location, "@\(directive.name) cannot stand here; it can at: \(places).")
                continue
            }
            guard directive.name != "defer" else {
                fail(
                    directive.location,
                    "@defer makes an answer of many parts, which the client does not read. Ask in an operation of its own."
                )
                continue
            }
            guard names.insert(directive.name).inserted else {
                fail(directive.location, "@\(directive.name) stands here twice.")
                continue
            }
            check(directive.arguments, definition.arguments, of: "@\(directive.name)", directive.location)
        }
    }
}

/// Text from outside in one line.
enum PlainText {
    /// Without line breaks and other control characters, and not longer than 300 characters.
    static func line(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            let isBreak =
                scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.value == 0x2028
                || scalar.value == 0x2029
            if isBreak {
                if result.last != " " { result += " " }
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        let isLong = result.unicodeScalars.count > 300
        return isLong ? String(result.unicodeScalars.prefix(299)) + "…" : result
    }
}
