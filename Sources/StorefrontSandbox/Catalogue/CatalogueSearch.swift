/// A search in the sandbox's catalogue; a product must match all terms of the query.
///
/// The search knows the part of Shopify's syntax that a shop's search box sends: words, quotation marks, `AND`, a leading `-`, a trailing
/// `*`, and the fields `title`, `tag` and `product_type`.
struct CatalogueSearch: Sendable {
    private struct Term: Sendable {
        var isExcluded = false
        var field: String?
        var text = ""
    }

    private let terms: [Term]

    init(_ query: String) {
        var terms: [Term] = []
        var term = Term()
        var isQuoted = false
        func finish() {
            if term.text == "*" { term.text = "" }
            if term.text.hasSuffix("*") { term.text.removeLast() }
            if !term.text.isEmpty, term.text != "and" || term.field != nil { terms.append(term) }
            term = Term()
        }
        for character in query.lowercased() {
            switch character {
            case "\"": isQuoted.toggle()
            case " " where !isQuoted, "(" where !isQuoted, ")" where !isQuoted: finish()
            case "-" where !isQuoted && term.text.isEmpty && term.field == nil: term.isExcluded = true
            case ":" where !isQuoted && term.field == nil:
                term.field = term.text
                term.text = ""
            default: term.text.append(character)
            }
        }
        finish()
        self.terms = terms
    }

    func matches(_ product: SandboxStorefrontConfiguration.Product) -> Bool {
        terms.allSatisfy { term in
            let texts: [String] =
                switch term.field {
                case "title": [product.title]
                case "tag": product.tags
                case "product_type": [product.type]
                default: [product.title, product.type, product.text] + product.tags
                }
            return texts.contains { $0.lowercased().contains(term.text) } != term.isExcluded
        }
    }
}
