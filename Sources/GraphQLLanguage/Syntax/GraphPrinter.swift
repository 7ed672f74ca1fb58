/// Prints definitions without comments and descriptions; the same definition always gives the same text.
package enum GraphPrinter {
    package static func text(_ operation: GraphOperation) -> String {
        var head = operation.kind.rawValue
        if let name = operation.name { head += " \(name)" }
        if !operation.variables.isEmpty {
            head += "(\(operation.variables.map(text).joined(separator: ", ")))"
        }
        return head + text(operation.directives) + " " + text(operation.selections)
    }

    package static func text(_ fragment: GraphFragment) -> String {
        "fragment \(fragment.name) on \(fragment.type)" + text(fragment.directives) + " " + text(fragment.selections)
    }

    package static func text(_ selections: [GraphSelection], _ depth: Int = 0) -> String {
        let indentation = String(repeating: "  ", count: depth)
        let lines = selections.map { "\(indentation)  \(text($0, depth + 1))\n" }.joined()
        return "{\n\(lines)\(indentation)}"
    }

    package static func text(_ literal: GraphLiteral) -> String {
        switch literal {
        case .variable(let name): "$\(name)"
        case .number(let text), .enumeration(let text): text
        case .string(let text): quoted(text)
        case .bool(let flag): flag ? "true" : "false"
        case .null: "null"
        case .list(let elements): "[\(elements.map(text).joined(separator: ", "))]"
        case .object(let members): "{\(members.map { "\($0.name): \(text($0.value))" }.joined(separator: ", "))}"
        }
    }

    package static func text(_ arguments: [GraphArgument]) -> String {
        arguments.isEmpty ? "" : "(\(arguments.map { "\($0.name): \(text($0.value))" }.joined(separator: ", ")))"
    }

    private static func text(_ variable: GraphVariable) -> String {
        "$\(variable.name): \(variable.type)" + (variable.defaultValue.map { " = \(text($0))" } ?? "")
            + text(variable.directives)
    }

    private static func text(_ directives: [GraphDirective]) -> String {
        directives.map { " @\($0.name)\(text($0.arguments))" }.joined()
    }

    private static func text(_ selection: GraphSelection, _ depth: Int) -> String {
        switch selection {
        case .field(let field):
            (field.alias.map { "\($0): " } ?? "") + field.name + text(field.arguments) + text(field.directives)
                + (field.selections.isEmpty ? "" : " " + text(field.selections, depth))
        case .spread(let name, let directives, _): "...\(name)" + text(directives)
        case .inline(let type, let directives, let selections, _):
            "..." + (type.map { " on \($0)" } ?? "") + text(directives) + " " + text(selections, depth)
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
