/// Checks documents against a schema (GraphQL specification of October 2021, section 5).
///
/// Each definition is visited at most once. After that, each operation is checked together with the fragments that it uses. If these
/// checks would take too many steps, the documents are rejected with ``GraphRule/tooComplex``.
package struct GraphValidator {
    let schema: GraphSchema
    let documents: GraphDocumentSet
    /// Directives of the schema whose use is a violation, because the caller does not support them.
    private let unsupportedDirectives: Set<String>
    package private(set) var violations: [GraphViolation]
    package private(set) var deprecations: [GraphDeprecation] = []
    /// The coordinates of deprecated members, by the name of the operation or fragment that uses them.
    package private(set) var deprecatedCoordinates: [String: Set<String>] = [:]
    var file = ""
    /// The path to the current place: the definition, then response keys, fragments, arguments and members of input objects.
    var path: [String] = []
    var uses: [VariableUse] = []
    private var owner = ""

    struct VariableUse {
        let name: String
        let type: GraphTypeReference
        let hasDefault: Bool
        let argument: String
        let location: GraphLocation
        let file: String
        let path: [String]
    }

    /// The maximum number of collected violations, and of collected deprecations.
    package static let maximumViolations = 200

    package init(_ schema: GraphSchema, _ documents: GraphDocumentSet, unsupportedDirectives: Set<String> = []) {
        self.schema = schema
        self.documents = documents
        self.unsupportedDirectives = unsupportedDirectives
        violations = documents.violations
    }

    /// Checks the fragments, and then the operations until ``maximumViolations`` violations are found.
    ///
    /// Afterwards, violations and deprecations are sorted by file and line.
    package mutating func run() {
        var usesByFragment: [String: [[VariableUse]]] = [:]
        for (name, fragment) in documents.fragments.sorted(by: { $0.key < $1.key }) {
            begin(fragment.file, fragment.definition.pathName, owner: name)
            check(fragment.definition)
            usesByFragment[name] = Self.grouped(uses)
        }
        checkCycles()
        var reachable: Set<String> = []
        var steps = 0
        for operation in documents.operations where violations.count < Self.maximumViolations {
            begin(operation.file, operation.definition.pathName, owner: operation.definition.name ?? "")
            check(operation.definition)
            let fragments = documents.fragments(reachableFrom: operation.definition.selections).map(\.definition.name)
            steps += fragments.reduce(0) { $0 + 1 + documents.spreads(of: $1).count }
            guard steps <= FieldMerging.maximumSteps else {
                violate(.tooComplex, nil)
                // The remaining operations are not checked and may use any fragment, so no fragment counts as unused.
                reachable.formUnion(documents.fragments.keys)
                break
            }
            reachable.formUnion(fragments)
            let uses = Self.grouped(uses) + fragments.flatMap { usesByFragment[$0] ?? [] }
            checkVariables(of: operation.definition, uses: uses)
        }
        for (name, fragment) in documents.fragments where !reachable.contains(name) {
            begin(fragment.file, fragment.definition.pathName, owner: name)
            violate(.unusedFragment(name), fragment.definition.location)
        }
        if violations.isEmpty { checkMerging() }
        violations.sort { Self.order($0.file, $0.location) < Self.order($1.file, $1.location) }
        deprecations.sort { Self.order($0.file, $0.location) < Self.order($1.file, $1.location) }
    }

    private static func order(_ file: String, _ location: GraphLocation?) -> (String, Int, Int) {
        (file, location?.line ?? 0, location?.column ?? 0)
    }

    private mutating func checkMerging() {
        var merging = FieldMerging(schema, documents)
        for operation in documents.operations where violations.count < Self.maximumViolations && !merging.isExhausted {
            guard let root = schema.root(operation.definition.kind) else { continue }
            let path = [operation.definition.pathName]
            let found = merging.check(operation.definition.selections, on: root, operation.file, path)
            violations += found.prefix(Self.maximumViolations - violations.count)
        }
    }

    private mutating func begin(_ file: String, _ pathName: String, owner: String) {
        self.file = file
        self.owner = owner
        path = [pathName]
        uses = []
    }

    mutating func violate(_ rule: GraphRule, _ location: GraphLocation?) {
        guard violations.count < Self.maximumViolations else { return }
        violations.append(GraphViolation(rule: rule, file: file, location: location, path: path))
    }

    mutating func deprecate(_ coordinate: String, _ reason: String?, _ location: GraphLocation) {
        guard let reason else { return }
        deprecatedCoordinates[owner, default: []].insert(coordinate)
        guard deprecations.count < Self.maximumViolations else { return }
        deprecations.append(GraphDeprecation(coordinate: coordinate, reason: reason, file: file, location: location))
    }

    // MARK: Definitions

    private mutating func check(_ fragment: GraphFragment) {
        check(fragment.directives, at: "FRAGMENT_DEFINITION")
        if let type = composite(fragment.type, fragment.location) { check(fragment.selections, on: type) }
    }

    /// Returns nil and records a violation if the name is not a composite type.
    private mutating func composite(_ name: String, _ location: GraphLocation) -> GraphSchemaType? {
        guard let type = schema.types[name], type.isComposite else {
            violate(schema.types[name] == nil ? .undefinedFragmentType(name) : .fragmentOnLeaf(name), location)
            return nil
        }
        return type
    }

    private mutating func check(_ operation: GraphOperation) {
        check(operation.directives, at: operation.kind == .query ? "QUERY" : "MUTATION")
        guard let root = schema.root(operation.kind).flatMap({ schema.types[$0] }) else {
            return violate(.undefinedRoot(operation.kind), operation.location)
        }
        check(operation.selections, on: root)
    }

    private mutating func checkCycles() {
        var isDone: Set<String> = []
        for start in documents.fragments.keys.sorted() where !isDone.contains(start) {
            var way: [(name: String, rest: ArraySlice<String>)] = [(start, spreads(of: start)[...])]
            var places = [start: 0]
            while let last = way.last {
                guard let next = last.rest.first else {
                    isDone.insert(last.name)
                    places[last.name] = nil
                    way.removeLast()
                    continue
                }
                way[way.count - 1].rest.removeFirst()
                if let index = places[next], let fragment = documents.fragments[next] {
                    guard violations.count < Self.maximumViolations else { continue }
                    begin(fragment.file, fragment.definition.pathName, owner: next)
                    violate(.fragmentCycle(way[index...].map(\.name) + [next]), fragment.definition.location)
                } else if !isDone.contains(next) {
                    places[next] = way.count
                    way.append((next, spreads(of: next)[...]))
                }
            }
        }
    }

    private func spreads(of fragment: String) -> [String] {
        documents.spreads(of: fragment).filter { documents.fragments[$0] != nil }.sorted()
    }

    // MARK: Selections

    private mutating func check(_ selections: [GraphSelection], on type: GraphSchemaType) {
        for selection in selections {
            switch selection {
            case .field(let field):
                path.append(field.responseKey)
                check(field, on: type)
                path.removeLast()
            case .spread(let name, let directives, let location):
                path.append("... \(name)")
                check(directives, at: "FRAGMENT_SPREAD")
                if let fragment = documents.fragments[name]?.definition {
                    checkPossible(fragment.type, in: type, name, location)
                } else {
                    violate(.undefinedFragment(name), location)
                }
                path.removeLast()
            case .inline(let condition, let directives, let inner, let location):
                path.append("... on \(condition ?? type.name)")
                check(directives, at: "INLINE_FRAGMENT")
                var narrowed: GraphSchemaType? = type
                if let condition {
                    narrowed = composite(condition, location)
                    checkPossible(condition, in: type, nil, location)
                }
                if let narrowed { check(inner, on: narrowed) }
                path.removeLast()
            }
        }
    }

    private mutating func checkPossible(
        _ condition: String,
        in type: GraphSchemaType,
        _ fragment: String?,
        _ location: GraphLocation
    ) {
        guard schema.types[condition]?.isComposite == true else { return }
        if schema.possibleTypes(condition).isDisjoint(with: schema.possibleTypes(type.name)) {
            violate(.impossibleFragment(name: fragment, condition: condition, type: type.name), location)
        }
    }

    private mutating func check(_ field: GraphField, on type: GraphSchemaType) {
        check(field.directives, at: "FIELD")
        if let alias = field.alias, alias.utf8.starts(with: "__".utf8) {
            violate(.reservedAlias(alias), field.location)
        }
        if field.name == "__typename" {
            if !field.arguments.isEmpty || !field.selections.isEmpty { violate(.typenameWithContent, field.location) }
            return
        }
        guard let definition = type.field(field.name) else {
            return violate(.undefinedField(field.name, type: type.name), field.location)
        }
        deprecate("\(type.name).\(field.name)", definition.deprecation, field.location)
        check(field.arguments, definition.arguments, of: .field(field.name, type: type.name), field.location)
        guard let result = schema.types[definition.type.leafName] else { return }
        if result.isComposite == field.selections.isEmpty {
            let (name, result) = (field.name, definition.type)
            let rule: GraphRule =
                field.selections.isEmpty
                ? .missingSelection(field: name, type: type.name, result: result)
                : .unexpectedSelection(field: name, type: type.name, result: result)
            violate(rule, field.location)
        } else if result.isComposite {
            check(field.selections, on: result)
        }
    }

    // MARK: Directives

    mutating func check(_ directives: [GraphDirective], at place: String) {
        var names: Set<String> = []
        for directive in directives {
            guard let definition = schema.directives[directive.name] else {
                violate(.undefinedDirective(directive.name), directive.location)
                continue
            }
            if !definition.locations.contains(place) {
                let allowed = definition.locations.sorted()
                violate(.misplacedDirective(directive.name, allowed: allowed), directive.location)
            } else if unsupportedDirectives.contains(directive.name) {
                violate(.unsupportedDirective(directive.name), directive.location)
            } else if !names.insert(directive.name).inserted {
                violate(.repeatedDirective(directive.name), directive.location)
            } else {
                check(directive.arguments, definition.arguments, of: .directive(directive.name), directive.location)
            }
        }
    }
}
