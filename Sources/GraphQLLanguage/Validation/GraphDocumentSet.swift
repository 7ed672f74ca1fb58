package struct GraphSourced<Definition: Sendable>: Sendable {
    package var definition: Definition
    package let file: String
}

/// The operations and fragments of one or many files; a name is unique among the operations, and among the fragments.
package struct GraphDocumentSet: Sendable {
    package private(set) var operations: [GraphSourced<GraphOperation>] = []
    package private(set) var fragments: [String: GraphSourced<GraphFragment>] = [:]
    /// The violations for names that are missing or not unique, at most ``GraphValidator/maximumViolations``.
    package private(set) var violations: [GraphViolation] = []
    private let requiresNames: Bool
    /// For each fragment, by its name: the names of the fragments that it spreads, each once, in the order of their first use.
    private var spreads: [String: [String]] = [:]
    /// The files of the named operations.
    private var files: [String: String] = [:]

    /// Creates an empty set; `requiresNames` says whether an operation needs a name even if it is the only operation.
    package init(requiresNames: Bool) {
        self.requiresNames = requiresNames
    }

    /// Adds the definitions of a document.
    ///
    /// Of two operations or two fragments with the same name, the first is kept, and the second is a violation. If names are required or
    /// the set has more than one operation, each operation without a name is a violation and is removed.
    package mutating func add(_ document: GraphDocument, file: String) {
        for operation in document.operations {
            if let name = operation.name, let other = files[name] {
                violate(.repeatedOperation(name, in: other), operation.location, file, operation.pathName)
            } else {
                if let name = operation.name { files[name] = file }
                operations.append(GraphSourced(definition: operation, file: file))
            }
        }
        if requiresNames || operations.count > 1 {
            for operation in operations where operation.definition.name == nil {
                let definition = operation.definition
                violate(.unnamedOperation, definition.location, operation.file, definition.pathName)
            }
            operations.removeAll { $0.definition.name == nil }
        }
        for fragment in document.fragments {
            if let other = fragments[fragment.name] {
                violate(.repeatedFragment(fragment.name, in: other.file), fragment.location, file, fragment.pathName)
            } else {
                fragments[fragment.name] = GraphSourced(definition: fragment, file: file)
                spreads[fragment.name] = Self.spreads(in: fragment.selections)
            }
        }
    }

    private mutating func violate(_ rule: GraphRule, _ location: GraphLocation, _ file: String, _ owner: String) {
        guard violations.count < GraphValidator.maximumViolations else { return }
        violations.append(GraphViolation(rule: rule, file: file, location: location, path: [owner]))
    }

    /// The fragments that selections need, each once: first those that the selections spread, then those that these fragments spread.
    package func fragments(reachableFrom selections: [GraphSelection]) -> [GraphSourced<GraphFragment>] {
        var found: [GraphSourced<GraphFragment>] = []
        var seen: Set<String> = []
        // A work list instead of recursion: the parser does not limit the length of a chain of fragments, so recursion could overflow
        // the stack.
        var waiting = Self.spreads(in: selections)[...]
        while let name = waiting.popFirst() {
            guard seen.insert(name).inserted, let fragment = fragments[name] else { continue }
            found.append(fragment)
            waiting += spreads[name] ?? []
        }
        return found
    }

    /// The fragments that a fragment spreads itself, each once; empty for an unknown fragment.
    func spreads(of fragment: String) -> [String] { spreads[fragment] ?? [] }

    private static func spreads(in selections: [GraphSelection]) -> [String] {
        var found: [String] = []
        var seen: Set<String> = []
        func collect(_ selections: [GraphSelection]) {
            for selection in selections {
                switch selection {
                case .field(let field): collect(field.selections)
                case .spread(let name, _, _): if seen.insert(name).inserted { found.append(name) }
                case .inline(_, _, let inner, _): collect(inner)
                }
            }
        }
        collect(selections)
        return found
    }
}
