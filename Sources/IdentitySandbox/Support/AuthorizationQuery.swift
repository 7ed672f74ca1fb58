/// The parameters of an authorization request, each at most once (RFC 6749 section 3.1).
struct AuthorizationQuery: Sendable {
    private let fields: [String: String]

    init(_ fields: [String: String]) {
        self.fields = fields
    }

    /// Nil when the query cannot be decoded or repeats a parameter.
    init?(_ request: SandboxRequest) {
        guard let decoded = FormText.decode(Array((request.query ?? "").utf8)) else { return nil }
        var fields: [String: String] = [:]
        for field in decoded where fields.updateValue(field.value, forKey: field.name) != nil { return nil }
        self.fields = fields
    }

    /// The parameters of a GET or, of a POST, its form (OpenID Connect Core section 3.1.2.1).
    init(queryOrForm request: SandboxRequest) throws(OAuthRefusal) {
        if request.method == "POST" {
            self = try OAuthForm(request).query
        } else if let query = AuthorizationQuery(request) {
            self = query
        } else {
            throw OAuthRefusal("invalid_request", "The query is malformed, or repeats a parameter.")
        }
    }

    /// The value; nil when absent or empty, which is the same (RFC 6749 section 3.1).
    subscript(_ name: String) -> String? {
        fields[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    var scopes: [String] {
        (self["scope"] ?? "").split(separator: " ").map(String.init)
    }

    /// The requested options that a login page shows.
    func displayedParameters(_ names: [String]) -> [(name: String, value: String)] {
        names.compactMap { name in self[name].map { (name, $0) } }
    }
}
