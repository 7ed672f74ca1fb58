internal import GraphQLLanguage

/// A file with GraphQL in it.
package struct SourceFile: Sendable {
    /// The path from the folder of documents.
    package let name: String
    package let text: String

    package init(name: String, text: String) {
        self.name = name
        self.text = text
    }
}

/// A definition and the file that it stands in.
struct Sourced<Definition: Sendable>: Sendable {
    var definition: Definition
    let file: String
}

/// All operations and fragments of a folder; they share one space of names.
struct DocumentSet: Sendable {
    private(set) var operations: [Sourced<GraphOperation>] = []
    private(set) var fragments: [String: Sourced<GraphFragment>] = [:]
    private(set) var diagnostics: [Diagnostic] = []

    static let maximumFileBytes = 1 << 20
    static let maximumFiles = 2_000

    init(_ files: [SourceFile]) {
        for file in files { add(file) }
    }

    private mutating func add(_ file: SourceFile) {
        guard file.text.utf8.count <= Self.maximumFileBytes else {
            return fail(file.name, nil, "The file is larger than 1 MiB.")
        }
        let document: GraphDocument
        do { document = try GraphParser.document(file.text) } catch {
            let hint =
                error.message.contains("\"subscription\"") ? " Shopify's APIs have no subscriptions." : ""
            return fail(file.name, error.location, "\(error.message).\(hint)")
        }
        for operation in document.operations {
            guard let name = operation.name else {
                fail(
                    file.name,
                    operation.location,
                    "The operation has no name. Write `query Name { … }`: its type is called so."
                )
                continue
            }
            if let other = operations.first(where: { $0.definition.name == name }) {
                fail(file.name, operation.location, "The operation \(name) is defined in \(other.file) already.")
                continue
            }
            operations.append(Sourced(definition: operation, file: file.name))
        }
        for fragment in document.fragments {
            if let other = fragments[fragment.name] {
                fail(file.name, fragment.location, "The fragment \(fragment.name) is defined in \(other.file) already.")
                continue
            }
            fragments[fragment.name] = Sourced(definition: fragment, file: file.name)
        }
    }

    private mutating func fail(_ file: String, _ location: GraphLocation?, _ message: String) {
        diagnostics.append(Diagnostic(severity: .error, file: file, location: location, message: message))
    }

    /// The fragments that selections need, each once, in the order of their first use.
    func fragments(reachableFrom selections: [GraphSelection]) -> [Sourced<GraphFragment>] {
        var found: [Sourced<GraphFragment>] = []
        var seen: Set<String> = []
        // Nesting of selections is bounded by the parser; fragments are followed by a list, not by recursion.
        var waiting = Self.spreads(in: selections)
        var next = 0
        while next < waiting.count {
            let name = waiting[next]
            next += 1
            guard seen.insert(name).inserted, let fragment = fragments[name] else { continue }
            found.append(fragment)
            waiting += Self.spreads(in: fragment.definition.selections)
        }
        return found
    }

    static func spreads(in selections: [GraphSelection]) -> [String] {
        selections.flatMap { selection -> [String] in
            switch selection {
            case .field(let field): spreads(in: field.selections)
            case .spread(let name, _, _): [name]
            case .inline(_, _, let inner, _): spreads(in: inner)
            }
        }
    }
}
