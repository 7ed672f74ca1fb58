import Foundation

/// The public types of the package that hold secrets or something about a buyer, found by reading the sources.
///
/// A type holds what its stored properties and its cases hold. The sources are formatted by one tool, so four spaces of
/// indentation are one level.
struct PublicTypes {
    private struct Declaration {
        var isPublic = false
        /// The types that its stored properties and cases name.
        var parts: Set<String> = []
        var holdsText = false
    }

    private static let modules = [
        "IdentityHTTP", "IdentityKit", "IdentityOIDC", "IdentityShopify", "IdentityBolt", "IdentitySQLite",
        "ShopifyStorefront",
        "IdentityPresentation",
    ]
    /// Where holding begins.
    private static let roots: Set<String> = ["Secret", "SecretBytes", "HTTPHeaders", "HTTPURL", "SessionID", "CartID"]
    private static let modifiers: Set<String> = [
        "public", "package", "private", "fileprivate", "internal", "final", "indirect", "weak", "private(set)",
        "nonisolated", "lazy",
    ]

    private var declarations: [String: Declaration] = [:]
    /// The types whose mirror is empty, because somebody thought that they must not be seen.
    private var redacted: Set<String> = []

    static var root: URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
    }

    init() throws {
        for module in Self.modules {
            let folder = Self.root.appending(path: "Sources/\(module)")
            for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where name.hasSuffix(".swift")
            {
                read(String(decoding: try Data(contentsOf: folder.appending(path: name)), as: UTF8.self))
            }
        }
    }

    /// How many public types there are.
    var count: Int { declarations.values.count(where: \.isPublic) }

    /// The names of the public types that hold something, nested ones with the name of what they stand in.
    var holders: Set<String> {
        var holding = Set(declarations.filter { $0.value.holdsText }.keys).union(Self.roots).union(redacted)
        while true {
            let names = Set(holding.map { $0.split(separator: ".").last.map(String.init) ?? $0 })
            let more = declarations.filter { !holding.contains($0.key) && !$0.value.parts.isDisjoint(with: names) }.keys
            if more.isEmpty { break }
            holding.formUnion(more)
        }
        return holding.filter { declarations[$0]?.isPublic == true }
    }

    private mutating func read(_ source: String) {
        var scopes: [(indent: Int, name: String, isExtension: Bool)] = []
        for line in source.split(separator: "\n") {
            let indent = line.prefix { $0 == " " }.count
            let text = line.dropFirst(indent)
            guard !text.hasPrefix("//"), !text.hasPrefix("}"), !text.hasPrefix("{") else { continue }
            while let scope = scopes.last, scope.indent >= indent { scopes.removeLast() }
            var words = text.split(separator: " ").map(String.init)[...]
            let isPublic = words.first == "public"
            while let word = words.first, Self.modifiers.contains(word) { words.removeFirst() }
            guard let keyword = words.popFirst(), let first = words.first else { continue }
            let name = String(first.prefix { $0.isLetter || $0.isNumber || $0 == "." || $0 == "_" })
            switch keyword {
            case "struct", "class", "enum", "actor":
                let path = (scopes.last.map { $0.name + "." } ?? "") + name
                declarations[path, default: Declaration()].isPublic = isPublic
                scopes.append((indent, path, false))
            case "extension", "protocol":
                if text.contains("CustomReflectable") { redacted.insert(name) }
                scopes.append((indent, name, true))
            case "let", "var", "case":
                guard let scope = scopes.last, !scope.isExtension, indent == scope.indent + 4 else { continue }
                let rest = words.joined(separator: " ")
                // What ends in a brace is computed, unless a value stands before it.
                if keyword == "var", rest.hasSuffix("}") || rest.hasSuffix("{"), !rest.contains("=") { continue }
                note(rest, named: name, in: scope.name)
            default: continue
            }
        }
    }

    private mutating func note(_ rest: String, named name: String, in type: String) {
        let words = rest.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
        declarations[type]?.parts.formUnion(words.dropFirst().filter { $0.first?.isUppercase == true })
        let telling = [
            "email", "phone", "hint", "subject", "token", "secret", "password", "verifier", "buyerip", "givenname",
            "line1",
        ]
        let isText = words.contains("String") || words.contains("UInt8")
        if isText, telling.contains(where: { name.lowercased().contains($0) }) { declarations[type]?.holdsText = true }
    }
}
