extension Set<String> {
    /// Inserts a name, with as many suffixes as it needs to differ from the other names, and returns the inserted name.
    mutating func insertUnique(_ name: String, suffix: String = "Value") -> String {
        var name = name
        while !insert(name).inserted { name += suffix }
        return name
    }
}

package enum SwiftNames {
    private static let keywords: Set<String> = [
        "actor", "any", "as", "associatedtype", "async", "await", "break", "case", "catch", "class", "continue",
        "default", "defer", "deinit", "do", "dynamic", "else", "enum", "extension", "fallthrough", "false",
        "fileprivate", "for", "func", "get", "guard", "if", "import", "in", "indirect", "infix", "inout", "internal",
        "is", "lazy", "let", "mutating", "nil", "nonisolated", "nonmutating", "operator", "package", "postfix",
        "precedencegroup", "prefix", "private", "protocol", "public", "repeat", "rethrows", "return", "set", "some",
        "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "unowned",
        "var", "weak", "where", "while", "willSet", "didSet", "yield", "borrowing", "consuming", "sending",
    ]

    /// Words that cannot be names of members, even with back-ticks.
    private static let impossible: Set<String> = ["Any", "init", "self", "Self", "Type", "Protocol", "_"]

    /// Types of Swift and of the SDK that generated code uses; ``type(_:avoiding:)`` returns none of these names.
    static let used: Set<String> = Set(Planner.scalars.values).union([
        "Any", "Array", "CustomDebugStringConvertible", "CustomReflectable", "CustomStringConvertible", "Equatable",
        "GraphQLDocument", "GraphQLFragment", "GraphQLInputObject", "GraphQLNode", "GraphQLOpenEnum",
        "GraphQLOperation", "GraphQLReadable", "GraphQLReadingError", "GraphQLRedacted", "GraphQLWritable", "Hashable",
        "InputField", "Mirror", "Never", "Optional", "RawRepresentable", "Sendable", "Swift", "Void",
    ])

    /// Whether a text is a valid type name, or several separated by dots.
    static func isTypeName(_ text: String) -> Bool {
        guard (1...200).contains(text.utf8.count) else { return false }
        return text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
            isWord(part) && !keywords.contains(String(part)) && !impossible.contains(String(part))
        }
    }

    static func isWord(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
        return text.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "_")
        }
    }

    /// A member's name: the schema's name without leading underscores; the words `Id`, `Url` and `Html` become `ID`, `URL` and `HTML`.
    ///
    /// In an alias, these words stay as they are. A reserved name gets the suffix `Value`.
    static func member(_ name: String, isAlias: Bool = false, reserved: Set<String> = []) -> String {
        var text = String(name.drop { $0 == "_" })
        if text.isEmpty { text = name }
        if let first = text.utf8.first, (0x30...0x39).contains(first) { text = "_" + text }
        if !isAlias { text = capitalizedInitialisms(text) }
        if impossible.contains(text) || reserved.contains(text) { return text + "Value" }
        return text
    }

    static func quoted(_ name: String) -> String {
        keywords.contains(name) ? "`\(name)`" : name
    }

    /// A type's name: capitalized, and different from the names in `taken` and from the types that generated code refers to.
    static func type(_ name: String, avoiding taken: Set<String> = []) -> String {
        var text = String(name.drop { $0 == "_" })
        if text.isEmpty { text = "Value" }
        text = text.prefix(1).uppercased() + text.dropFirst()
        if let first = text.utf8.first, (0x30...0x39).contains(first) { text = "Value" + text }
        if impossible.contains(text) { text += "Value" }
        while used.contains(text) || taken.contains(text) { text += "Selection" }
        return text
    }

    /// The name of the constant for an enum value: `MERCHANDISE_OUT_OF_STOCK` becomes `merchandiseOutOfStock`.
    static func constant(_ name: String) -> String {
        let reserved: Set<String> = ["none", "some", "rawValue", "description", "hashValue", "graphQLValue", "hash"]
        let isShouted = !name.utf8.contains { (0x61...0x7A).contains($0) }
        guard isShouted else {
            return member(name.prefix(1).lowercased() + name.dropFirst(), reserved: reserved)
        }
        let words = name.split(separator: "_").map { $0.lowercased() }
        let text = words.enumerated().map { $0 == 0 ? $1 : $1.prefix(1).uppercased() + $1.dropFirst() }.joined()
        return member(text.isEmpty ? name : text, reserved: reserved)
    }

    /// The name of a case or property for a type: `URLFilter` becomes `urlFilter`, `Product` becomes `product`.
    static func lowered(_ name: String, reserved: Set<String>) -> String {
        let capitals = name.utf8.prefix { (0x41...0x5A).contains($0) }.count
        let count = capitals > 1 && capitals < name.utf8.count ? capitals - 1 : max(capitals, 1)
        return member(name.prefix(count).lowercased() + name.dropFirst(count), isAlias: true, reserved: reserved)
    }

    private static let initialisms = ["Id": "ID", "Ids": "IDs", "Url": "URL", "Urls": "URLs", "Html": "HTML"]

    private static func capitalizedInitialisms(_ text: String) -> String {
        var words: [String] = []
        for character in text {
            if character.isUppercase || words.isEmpty {
                words.append(String(character))
            } else {
                words[words.count - 1].append(character)
            }
        }
        return words.map { initialisms[$0] ?? $0 }.joined()
    }
}
