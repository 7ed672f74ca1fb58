internal import GraphQLLanguage

extension Emitter {
    func write(_ operation: OperationType, _ writer: inout SwiftWriter) {
        writer.comment(operation.comment)
        writer.block("\(access) struct \(operation.name): GraphQLOperation, GraphQLRedacted") { writer in
            if operation.output != .named("Output") {
                writer.comment("The type of the result.")
                writer.line("\(access) typealias Output = \(text(operation.output))")
                writer.line()
            }
            write(operation.variables, &writer)
            writeDocument(of: operation, &writer)
            writer.line()
            writer.comment("Creates the operation.")
            writeInitializer(operation.variables, &writer)
            writer.line()
            writer.comment("The variables as they are sent, without the variables of the call's context.")
            writer.block("\(access) var variables: GraphQLInputObject") { writer in
                writeMembers(operation.variables, &writer)
                writer.line("return input")
            }
            if let key = operation.rootKey {
                writer.line()
                writer.comment("Reads the result from the field `\(key)`.")
                let head = "\(access) static func output(_ data: GraphQLNode) throws(GraphQLReadingError) -> Output"
                writer.block(head) { $0.line("try data.field(\"\(key)\")") }
            }
            for nested in operation.nested {
                writer.line()
                write(nested, &writer)
            }
        }
    }

    private func writeDocument(of operation: OperationType, _ writer: inout SwiftWriter) {
        var rest: [String] = []
        if !operation.fragments.isEmpty {
            let names = operation.fragments.map { ".\(SwiftNames.quoted($0))" }.joined(separator: ", ")
            rest.append("fragments: [\(names)]")
        }
        if !operation.contextVariables.isEmpty {
            let names = operation.contextVariables.map { "\"\($0)\"" }.joined(separator: ", ")
            rest.append("contextVariables: [\(names)]")
        }
        if let repetition = operation.repetition { rest.append("repetition: .\(repetition)") }
        if let isPersonal = operation.isPersonal { rest.append("isPersonal: \(isPersonal)") }
        writer.comment("The GraphQL document.")
        writer.line("\(access) static let document = GraphQLDocument(")
        writer.indented { writer in
            writer.line("name: \"\(operation.graphQLName)\",")
            writer.line("kind: .\(operation.kind.rawValue),")
            writer.literal("text: ", operation.text, rest.isEmpty ? "" : ",")
        }
        writer.list(rest)
        writer.line(")")
    }

    private func declared(_ property: InputProperty) -> String {
        switch property.presence {
        case .required: text(property.type)
        case .defaulted: text(property.type) + "?"
        case .threeState: "InputField<\(text(property.type))>"
        }
    }

    private func write(_ properties: [InputProperty], _ writer: inout SwiftWriter) {
        for property in properties {
            var comment = property.comment
            if case .defaulted = property.presence {
                comment += "\n\nIf it is nil, the API uses the default value."
            }
            writer.comment(comment)
            writer.line("\(access) var \(SwiftNames.quoted(property.name)): \(declared(property))")
        }
        if !properties.isEmpty { writer.line() }
    }

    private func writeInitializer(_ properties: [InputProperty], _ writer: inout SwiftWriter) {
        guard !properties.isEmpty else { return writer.line("\(access) init() {}") }
        let parameters = properties.map { property -> String in
            let value =
                switch property.presence {
                case .required: ""
                case .defaulted: " = nil"
                case .threeState: " = .unset"
                }
            return "\(SwiftNames.quoted(property.name)): \(declared(property))\(value)"
        }
        writer.line("\(access) init(")
        writer.list(parameters)
        writer.block(")") { writer in
            for property in properties {
                let name = SwiftNames.quoted(property.name)
                writer.line("self.\(name) = \(name)")
            }
        }
    }

    private func writeMembers(_ properties: [InputProperty], _ writer: inout SwiftWriter) {
        writer.line("\(properties.isEmpty ? "let" : "var") input = GraphQLInputObject()")
        for property in properties {
            let name = SwiftNames.quoted(property.name)
            switch property.presence {
            case .defaulted: writer.line("if let value = self.\(name) { input.set(\"\(property.key)\", value) }")
            case .required, .threeState: writer.line("input.set(\"\(property.key)\", self.\(name))")
            }
        }
    }

    func write(_ input: InputType, _ writer: inout SwiftWriter) {
        let isEquatable = plan.equatable.contains(input.name)
        let conformances = Self.conformances("GraphQLWritable", isEquatable: isEquatable, isRedacted: input.isRedacted)
        writer.comment(input.comment)
        writer.block("\(access) struct \(input.name): \(conformances)") { writer in
            write(input.properties, &writer)
            writer.comment("Creates the input.\n\nUnset fields are not sent.")
            writeInitializer(input.properties, &writer)
            writer.line()
            writer.comment("The fields that are set, for a request's body.")
            writer.block("\(access) var graphQLValue: JSONValue") { writer in
                writeMembers(input.properties, &writer)
                writer.line("return input.graphQLValue")
            }
        }
    }

    func write(_ type: EnumType, _ writer: inout SwiftWriter) {
        writer.comment(type.comment)
        writer.block("\(access) struct \(type.name): GraphQLOpenEnum") { writer in
            writer.comment("The value as text.")
            writer.line("\(access) let rawValue: String")
            writer.line()
            writer.comment("Creates a value from its text.")
            writer.block("\(access) init(rawValue: String)") { $0.line("self.rawValue = rawValue") }
            writer.line()
            for constant in type.constants {
                writer.comment(constant.comment)
                if constant.isDeprecated {
                    writer.line("@available(*, deprecated, message: \"Deprecated in the schema.\")")
                }
                let name = SwiftNames.quoted(constant.name)
                writer.line("\(access) static let \(name) = Self(rawValue: \"\(constant.text)\")")
            }
        }
    }
}
