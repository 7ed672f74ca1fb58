internal import GraphQLLanguage

struct Planner {
    let schema: GraphSchema
    let documents: GraphDocumentSet
    let configuration: Configuration
    let deprecated: [String: Set<String>]
    private(set) var diagnostics: [Diagnostic] = []
    /// Swift types of fragments, by the fragments' names.
    private(set) var fragmentNames: [String: String] = [:]
    /// The names of the constants that hold the fragments' definitions, by the names of the fragments.
    private var fragmentConstants: [String: String] = [:]
    /// The names of all top-level Swift types, which no nested type may have.
    var topLevel: Set<String> = []
    var payloadUses: [String: [PayloadUse]] = [:]
    var reachableEnums: Set<String> = []
    var reachableInputs: Set<String> = []
    private var inlines: [String: (fields: Int, places: Set<String>, file: String, first: GraphLocation)] = [:]
    private var typeCount = 0
    /// Whether the current selection is inside of a redacted operation, fragment or type.
    var isInRedaction = false
    /// Whether the current selection is inside a redacted Swift type.
    ///
    /// It is false at the root of a redacted operation: the operation's type does not contain the result, so it cannot hide the result.
    var isInRedactedType = false
    var file = ""

    static let maximumTypes = 5_000

    init(
        _ schema: GraphSchema,
        _ documents: GraphDocumentSet,
        _ configuration: Configuration,
        deprecated: [String: Set<String>]
    ) {
        self.schema = schema
        self.documents = documents
        self.configuration = configuration
        self.deprecated = deprecated
    }

    mutating func plan() -> Plan {
        var plan = Plan()
        claimNames()
        guard diagnostics.isEmpty else { return plan }
        plan.fragments = documents.fragments.sorted { $0.key < $1.key }.compactMap { fragment($0.key, $0.value) }
        plan.operations = documents.operations.sorted { $0.definition.name ?? "" < $1.definition.name ?? "" }
            .compactMap { operation($0) }
        refuseDuplicates()
        plan.payloads = payloads().filter { !configuration.provided.contains($0.name) }
        plan.inputs = inputs()
        plan.enums = enums()
        plan.equatable = equatableTypes(in: plan)
        return plan
    }

    /// The Swift names of the fragments, the payloads, and the enums and input objects that the operations use.
    var usedTypes: Set<String> {
        let types = reachableEnums.union(reachableInputs).map { configuration.names[$0] ?? $0 }
        return Set(types).union(fragmentNames.values).union(payloadUses.keys)
    }

    mutating func fail(_ message: String, _ file: String = "generator.json", _ location: GraphLocation? = nil) {
        let diagnostic = Diagnostic(severity: .error, file: file, location: location, message: message)
        // A selection on an interface is planned once for each type, and would report the same error each time.
        guard diagnostics.count < DocumentCheck.maximumDiagnostics,
            !diagnostics.contains(where: { $0.description == diagnostic.description })
        else { return }
        diagnostics.append(diagnostic)
    }

    // MARK: Names

    private mutating func claimNames() {
        var owners: [String: String] = [:]
        func claim(
            _ name: String,
            for owner: String,
            _ file: String = "generator.json",
            _ location: GraphLocation? = nil
        ) {
            guard let other = owners.updateValue(owner, forKey: name) else { return }
            fail("\(owner) and \(other) would both become the Swift type \(name). Rename one.", file, location)
        }
        for operation in documents.operations {
            let name = operation.definition.name ?? ""
            claim(SwiftNames.type(name), for: "the operation \(name)", operation.file, operation.definition.location)
        }
        var constants: Set<String> = []
        for (name, fragment) in documents.fragments.sorted(by: { $0.key < $1.key }) {
            let swiftName = configuration.names[name] ?? SwiftNames.type(name)
            fragmentNames[name] = swiftName
            let constant = SwiftNames.lowered(SwiftNames.type(name), reserved: ["text"])
            fragmentConstants[name] = constants.insertUnique(constant, suffix: "Fragment")
            claim(swiftName, for: "the fragment \(name)", fragment.file, fragment.definition.location)
        }
        for name in configuration.payloads.keys.sorted() { claim(name, for: "the payload \(name)") }
        for type in schema.types.values.sorted(by: { $0.name < $1.name }) where type.isEnum || type.isInputObject {
            let name = configuration.names[type.name] ?? type.name
            if !SwiftNames.isTypeName(name) {
                fail(
                    "The type \(name) of the schema has a name that Swift reserves. Set another name for it under \"names\"."
                )
            }
            guard !topLevel.insert(name).inserted, !configuration.provided.contains(name) else { continue }
            fail(
                "Two types of the schema would both become the Swift type \(name). Set another name for one of them under \"names\"."
            )
        }
        for (name, owner) in owners.sorted(by: { $0.key < $1.key })
        where topLevel.contains(name) && !configuration.provided.contains(name) {
            fail(
                "\(owner) and an input or enum of the schema would both become the Swift type \(name). Rename one, or set another "
                    + "name for the schema's type under \"names\"."
            )
        }
        topLevel.formUnion(owners.keys)
        topLevel.formUnion(configuration.provided)
        for texts in [configuration.types, configuration.variables, configuration.scalars] {
            topLevel.formUnion(texts.values.compactMap { $0.split(separator: ".").first.map(String.init) })
        }
    }

    // MARK: Definitions

    private mutating func fragment(_ name: String, _ fragment: GraphSourced<GraphFragment>) -> FragmentType? {
        file = fragment.file
        let definition = fragment.definition
        guard let parent = schema.types[definition.type] else { return nil }
        let swiftName = fragmentNames[name] ?? name
        let type = type(
            named: swiftName,
            collected: collect(definition.selections, parent),
            parent: parent,
            comment: definition.comment ?? "The fragment `\(name)` on `\(definition.type)`.",
            isRedacted: isRedacted(parent.name) || configuration.redacted.contains(name)
        )
        var printed = definition
        printed.selections = withTypenames(definition.selections, definition.type)
        return FragmentType(
            type: type,
            constant: fragmentConstants[name] ?? name,
            text: GraphPrinter.text(printed),
            isProvided: configuration.provided.contains(swiftName),
            deprecated: (deprecated[name] ?? []).sorted()
        )
    }

    func isRedacted(_ type: String) -> Bool { isInRedaction || configuration.redacted.contains(type) }

    private mutating func operation(_ operation: GraphSourced<GraphOperation>) -> OperationType? {
        file = operation.file
        let definition = operation.definition
        guard let parent = schema.root(definition.kind).flatMap({ schema.types[$0] }) else { return nil }
        let graphQLName = definition.name ?? ""
        let name = SwiftNames.type(graphQLName)
        let context = contextVariables(of: definition)
        isInRedaction = configuration.redacted.contains(graphQLName)
        defer { isInRedaction = false }
        var output = SwiftType.named("Output")
        var rootKey: String?
        var nested: [OutputType] = []
        let collected = collect(definition.selections, parent)
        if collected.spreads.isEmpty, collected.fields.count == 1, let field = collected.fields.first {
            var taken = topLevel.union(["Output", name]).union(definition.variables.map(\.name))
            let planned = property(field, parent, &taken, reserved: [])
            // The output of a mutation is optional only if a directive can omit the field. If the payload of the mutation is null, reading
            // fails, and the response's errors say why.
            let isRequired = definition.kind == .mutation && !field.isConditional
            output = isRequired ? planned.property.type.withoutOptional : planned.property.type
            rootKey = field.key
            nested = planned.nested
        } else if let fragment = onlyFragment(collected, parent) {
            output = .named(fragment)
        } else {
            nested = [
                type(
                    named: "Output",
                    collected: collected,
                    parent: parent,
                    comment: "The result of `\(graphQLName)`.",
                    isRedacted: isRedacted(parent.name)
                )
            ]
        }
        var printed = definition
        printed.selections = withTypenames(definition.selections, parent.name)
        let fragments = documents.fragments(reachableFrom: definition.selections)
        return OperationType(
            name: name,
            graphQLName: graphQLName,
            comment: definition.comment ?? "The \(definition.kind.rawValue) `\(graphQLName)`.",
            kind: definition.kind,
            text: GraphPrinter.text(printed),
            fragments: fragments.compactMap { fragmentConstants[$0.definition.name] },
            contextVariables: context,
            repetition: configuration.repetition[graphQLName],
            isPersonal: configuration.isPersonal[graphQLName],
            variables: variables(of: definition, without: context),
            output: output,
            rootKey: rootKey,
            nested: nested,
            deprecated: (deprecated[graphQLName] ?? []).sorted()
        )
    }

    /// The variables that the client sets from the call's context: those that `@inContext` uses for the argument of the same name.
    private func contextVariables(of operation: GraphOperation) -> [String] {
        let known = ["country", "language", "preferredLocationId", "buyer", "visitorConsent"]
        let arguments = operation.directives.filter { $0.name == "inContext" }.flatMap(\.arguments)
        return known.filter { name in
            arguments.contains { argument in
                if case .variable(name) = argument.value { argument.name == name } else { false }
            }
        }
    }

    // MARK: Bounds

    mutating func countType(_ location: GraphLocation?) -> Bool {
        typeCount += 1
        if typeCount == Self.maximumTypes + 1 {
            let limit = Self.maximumTypes
            fail("The documents need more than \(limit) Swift types. Share selections in fragments.", file, location)
        }
        return typeCount <= Self.maximumTypes
    }

    /// Records an inline selection, so that `refuseDuplicates` finds selections that are written several times.
    mutating func note(_ fields: [GraphField], on type: String) {
        guard let first = fields.first else { return }
        let selections = fields.flatMap(\.selections)
        let key = "\(type) \(GraphPrinter.text(selections))"
        let place = "\(file):\(first.location.line):\(first.location.column)"
        inlines[key, default: (Self.leafCount(selections), [], file, first.location)].places.insert(place)
    }

    private static func leafCount(_ selections: [GraphSelection]) -> Int {
        selections.reduce(0) { count, selection in
            switch selection {
            case .field(let field): count + max(1, leafCount(field.selections))
            case .spread: count
            case .inline(_, _, let inner, _): count + leafCount(inner)
            }
        }
    }

    private mutating func refuseDuplicates() {
        for (key, entry) in inlines.sorted(by: { $0.key < $1.key })
        where entry.places.count > 1 && entry.fields > configuration.maximumDuplicatedFields {
            let type = key.prefix { $0 != " " }
            fail(
                "This selection of \(entry.fields) fields on \(type) is written \(entry.places.count) times"
                    + " (\(entry.places.sorted().prefix(4).joined(separator: ", "))) and would become a separate type each time."
                    + " Make it a fragment, or raise maximumDuplicatedFields in generator.json.",
                entry.file,
                entry.first
            )
        }
    }
}
