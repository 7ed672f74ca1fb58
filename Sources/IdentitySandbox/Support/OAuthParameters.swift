internal import IdentityHTTP

/// The parameters of a request to an OAuth endpoint, each at most once (RFC 6749 sections 3.1 and 3.2).
struct OAuthParameters: Sendable {
    private let fields: [String: String]

    init(_ fields: [String: String]) {
        self.fields = fields
    }

    /// Reads the parameters of the query; nil when the query cannot be decoded or repeats a parameter.
    init?(_ request: SandboxRequest) {
        guard let decoded = FormText.decode(Array((request.query ?? "").utf8)) else { return nil }
        var fields: [String: String] = [:]
        for field in decoded where fields.updateValue(field.value, forKey: field.name) != nil { return nil }
        self.fields = fields
    }

    init(form request: SandboxRequest) throws(OAuthRefusal) {
        guard request.method == "POST" else {
            throw OAuthRefusal("invalid_request", "The method must be POST.", status: 405, headers: [("Allow", "POST")])
        }
        fields = try Self.fields(ofForm: request)
    }

    /// Reads the parameters of a POST from its form, and of other methods from the query (OpenID Connect Core section 3.1.2.1).
    init(queryOrForm request: SandboxRequest) throws(OAuthRefusal) {
        if request.method == "POST" {
            self = try OAuthParameters(form: request)
        } else if let query = OAuthParameters(request) {
            self = query
        } else {
            throw .invalidRequest("The query is malformed, or repeats a parameter.")
        }
    }

    static func fields(ofForm request: SandboxRequest) throws(OAuthRefusal) -> [String: String] {
        guard request.method == "POST", MediaType.form.matches(request.header("content-type")),
            let decoded = FormText.decode(request.body)
        else { throw .invalidRequest("The request must be a POST with a well-formed URL-encoded form.") }
        var fields: [String: String] = [:]
        for field in decoded where fields.updateValue(field.value, forKey: field.name) != nil {
            throw .invalidRequest("\(field.name) is repeated.")
        }
        return fields
    }

    /// The value of a parameter; nil if it is absent or empty, because RFC 6749 section 3.1 treats both alike.
    subscript(_ name: String) -> String? {
        fields[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    func required(_ name: String) throws(OAuthRefusal) -> String {
        guard let value = self[name] else { throw .invalidRequest("\(name) is missing.") }
        return value
    }

    func words(_ name: String) -> [String] { (self[name] ?? "").split(separator: " ").map(String.init) }

    var scopes: [String] { words("scope") }
}
