/// The first HTML form of a page; the parser supports only the HTML of the sandbox's own pages.
struct HTMLForm: Sendable {
    struct Tag: Sendable {
        let name: String
        let attributes: [String: String]
    }

    let action: String
    let method: String
    let inputs: [Tag]
    let buttons: [Tag]

    init?(page: String) {
        let tags = Self.tags(of: page)
        guard let start = tags.firstIndex(where: { $0.name == "form" }) else { return nil }
        let inside = tags[(start + 1)...].prefix { $0.name != "/form" }
        action = tags[start].attributes["action"] ?? ""
        method = tags[start].attributes["method"]?.lowercased() ?? "get"
        inputs = inside.filter { $0.name == "input" }
        buttons = inside.filter { $0.name == "button" }
    }

    static func attribute(_ name: String, in page: String) -> String? {
        tags(of: page).lazy.compactMap { $0.attributes[name] }.first
    }

    static func tags(of page: String) -> [Tag] {
        var tags: [Tag] = []
        var rest = Substring(page)
        while let open = rest.firstIndex(of: "<") {
            rest = rest[rest.index(after: open)...]
            guard let first = rest.first, first.isLetter || first == "/" else { continue }
            let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "/" }
            rest = rest[name.endIndex...]
            tags.append(Tag(name: name.lowercased(), attributes: attributes(&rest)))
        }
        return tags
    }

    private static func attributes(_ rest: inout Substring) -> [String: String] {
        var attributes: [String: String] = [:]
        while true {
            rest = rest.drop { $0.isWhitespace || $0 == "/" }
            guard let next = rest.first, next != ">" else { return attributes }
            let name = rest.prefix { !$0.isWhitespace && $0 != "=" && $0 != ">" }
            guard !name.isEmpty else { return attributes }
            rest = rest[name.endIndex...].drop { $0.isWhitespace }
            guard rest.first == "=" else {
                attributes[name.lowercased()] = ""
                continue
            }
            rest = rest.dropFirst().drop { $0.isWhitespace }
            let value: Substring
            if let quote = rest.first, quote == "\"" || quote == "'" {
                value = rest.dropFirst().prefix { $0 != quote }
                rest = rest[value.endIndex...].dropFirst()
            } else {
                value = rest.prefix { !$0.isWhitespace && $0 != ">" }
                rest = rest[value.endIndex...]
            }
            attributes[name.lowercased()] = unescape(value)
        }
    }

    private static func unescape(_ text: Substring) -> String {
        guard text.contains("&") else { return String(text) }
        var output = ""
        var rest = text
        while let first = rest.first {
            let entity = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
                .first { rest.hasPrefix($0.0) }
            output += entity?.1 ?? String(first)
            rest = rest.dropFirst(entity?.0.count ?? 1)
        }
        return output
    }
}
