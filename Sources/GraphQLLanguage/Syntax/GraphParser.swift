/// Parses executable documents by recursive descent, with a limit on the nesting, because deep recursion would overflow the stack.
package struct GraphParser {
    private var lexer: GraphLexer
    package private(set) var token: GraphToken = .end
    package private(set) var location = GraphLocation(line: 1, column: 1)
    private var depth = 0
    private static let maximumDepth = 48

    package init(_ text: String) throws(GraphSyntaxError) {
        lexer = GraphLexer(text)
        try advance()
    }

    package static func document(_ text: String) throws(GraphSyntaxError) -> GraphDocument {
        var parser = try GraphParser(text)
        var document = GraphDocument()
        while parser.token != .end {
            let comment = try parser.description()
            if case .name("fragment") = parser.token {
                document.fragments.append(try parser.fragment(comment))
            } else {
                document.operations.append(try parser.operation(comment))
            }
        }
        return document
    }

    // MARK: Tokens

    package mutating func advance() throws(GraphSyntaxError) {
        (token, location) = try lexer.next()
    }

    package func failure(_ expected: String) -> GraphSyntaxError {
        let found =
            switch token {
            case .name(let text), .number(let text), .punctuator(let text): "\"\(text)\""
            case .string: "a string"
            case .end: "the end"
            }
        return GraphSyntaxError(message: "Parse error on \(found), expected \(expected)", location: location)
    }

    package mutating func accept(_ punctuator: String) throws(GraphSyntaxError) -> Bool {
        guard token == .punctuator(punctuator) else { return false }
        try advance()
        return true
    }

    package mutating func expect(_ punctuator: String) throws(GraphSyntaxError) {
        guard try accept(punctuator) else { throw failure("\"\(punctuator)\"") }
    }

    package mutating func name() throws(GraphSyntaxError) -> String {
        guard case .name(let text) = token else { throw failure("a name") }
        try advance()
        return text
    }

    package mutating func acceptKeyword(_ keyword: String) throws(GraphSyntaxError) -> Bool {
        guard token == .name(keyword) else { return false }
        try advance()
        return true
    }

    private mutating func enter() throws(GraphSyntaxError) {
        depth += 1
        guard depth <= Self.maximumDepth else { throw failure("at most \(Self.maximumDepth) levels of nesting") }
    }

    // MARK: Definitions

    /// Reads the description of the next definition or, if it has no description, returns the comment directly above it.
    private mutating func description() throws(GraphSyntaxError) -> String? {
        let comment = comment
        guard case .string(let text) = token else { return comment }
        try advance()
        return text
    }

    private var comment: String? {
        lexer.comment.isEmpty ? nil : lexer.comment.joined(separator: "\n")
    }

    private mutating func fragment(_ comment: String?) throws(GraphSyntaxError) -> GraphFragment {
        let start = location
        try advance()
        // A fragment cannot be named `on` (GraphQL specification, section 2.8).
        guard token != .name("on") else { throw failure("a fragment name") }
        let name = try name()
        guard try acceptKeyword("on") else { throw failure("\"on\"") }
        return GraphFragment(
            name: name,
            type: try self.name(),
            directives: try directives(),
            selections: try selectionSet(),
            location: start,
            comment: comment
        )
    }

    private mutating func operation(_ comment: String?) throws(GraphSyntaxError) -> GraphOperation {
        let start = location
        var kind = GraphOperation.Kind.query
        var operationName: String?
        var variables: [GraphVariable] = []
        var directives: [GraphDirective] = []
        if token != .punctuator("{") {
            guard case .name(let word) = token, let named = GraphOperation.Kind(rawValue: word) else {
                throw failure("a query or a mutation")
            }
            kind = named
            try advance()
            if case .name = token { operationName = try name() }
            if try accept("(") {
                repeat { variables.append(try variable()) } while try !accept(")")
            }
            directives = try self.directives()
        }
        return GraphOperation(
            kind: kind,
            name: operationName,
            variables: variables,
            directives: directives,
            selections: try selectionSet(),
            location: start,
            comment: comment
        )
    }

    private mutating func variable() throws(GraphSyntaxError) -> GraphVariable {
        let comment = try description()
        let start = location
        try expect("$")
        let name = try name()
        try expect(":")
        let type = try typeReference()
        let defaultValue = try accept("=") ? try literal() : nil
        return GraphVariable(
            name: name,
            type: type,
            defaultValue: defaultValue,
            directives: try directives(),
            location: start,
            comment: comment
        )
    }

    package mutating func typeReference() throws(GraphSyntaxError) -> GraphTypeReference {
        try enter()
        defer { depth -= 1 }
        var type: GraphTypeReference
        if try accept("[") {
            type = .list(try typeReference())
            try expect("]")
        } else {
            type = .named(try name())
        }
        if try accept("!") { type = .nonNull(type) }
        return type
    }

    // MARK: Selections

    private mutating func selectionSet() throws(GraphSyntaxError) -> [GraphSelection] {
        try enter()
        defer { depth -= 1 }
        try expect("{")
        var selections: [GraphSelection] = []
        repeat { selections.append(try selection()) } while try !accept("}")
        return selections
    }

    private mutating func selection() throws(GraphSyntaxError) -> GraphSelection {
        let start = location
        guard try accept("...") else { return .field(try field()) }
        if case .name(let word) = token, word != "on" {
            try advance()
            return .spread(name: word, directives: try directives(), location: start)
        }
        let type = try acceptKeyword("on") ? try name() : nil
        return .inline(type: type, directives: try directives(), selections: try selectionSet(), location: start)
    }

    private mutating func field() throws(GraphSyntaxError) -> GraphField {
        let start = location
        let comment = comment
        var fieldName = try name()
        var alias: String?
        if try accept(":") {
            alias = fieldName
            fieldName = try name()
        }
        let arguments = try arguments()
        let directives = try directives()
        let selections = token == .punctuator("{") ? try selectionSet() : []
        return GraphField(
            alias: alias,
            name: fieldName,
            arguments: arguments,
            directives: directives,
            selections: selections,
            location: start,
            comment: comment
        )
    }

    private mutating func arguments() throws(GraphSyntaxError) -> [GraphArgument] {
        guard try accept("(") else { return [] }
        var arguments: [GraphArgument] = []
        repeat {
            let start = location
            let name = try name()
            try expect(":")
            arguments.append(GraphArgument(name: name, value: try literal(), location: start))
        } while try !accept(")")
        return arguments
    }

    private mutating func directives() throws(GraphSyntaxError) -> [GraphDirective] {
        var directives: [GraphDirective] = []
        while token == .punctuator("@") {
            let start = location
            try advance()
            directives.append(GraphDirective(name: try name(), arguments: try arguments(), location: start))
        }
        return directives
    }

    package mutating func literal() throws(GraphSyntaxError) -> GraphLiteral {
        try enter()
        defer { depth -= 1 }
        switch token {
        case .number(let text):
            try advance()
            return .number(text)
        case .string(let text):
            try advance()
            return .string(text)
        case .name(let word):
            try advance()
            switch word {
            case "true": return .bool(true)
            case "false": return .bool(false)
            case "null": return .null
            default: return .enumeration(word)
            }
        case .punctuator("$"):
            try advance()
            return .variable(try name())
        case .punctuator("["):
            try advance()
            var elements: [GraphLiteral] = []
            while try !accept("]") { elements.append(try literal()) }
            return .list(elements)
        case .punctuator("{"):
            try advance()
            var members: [(name: String, value: GraphLiteral)] = []
            while try !accept("}") {
                let name = try name()
                try expect(":")
                members.append((name, try literal()))
            }
            return .object(members)
        default: throw failure("a value")
        }
    }
}
