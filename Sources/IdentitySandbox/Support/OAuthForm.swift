/// The parameters of a POST to an OAuth endpoint, each at most once (RFC 6749 section 3.2).
struct OAuthForm: Sendable {
    private let fields: [String: String]

    init(_ request: SandboxRequest) throws(OAuthRefusal) {
        let type = request.header("content-type")?.split(separator: ";").first.map(String.init) ?? ""
        guard request.method == "POST" else {
            throw OAuthRefusal("invalid_request", "The method must be POST.", status: 405, headers: [("Allow", "POST")])
        }
        guard type.lowercased().filter({ $0 != " " }) == "application/x-www-form-urlencoded" else {
            throw Self.malformed
        }
        fields = try Self.fields(of: request)
    }

    /// The fields of a form as a provider reads it that does not check the media type strictly.
    static func fields(of request: SandboxRequest) throws(OAuthRefusal) -> [String: String] {
        let type = request.header("content-type")?.lowercased() ?? ""
        guard request.method == "POST", type.hasPrefix("application/x-www-form-urlencoded"),
            let decoded = FormText.decode(request.body)
        else { throw malformed }
        var fields: [String: String] = [:]
        for field in decoded where fields.updateValue(field.value, forKey: field.name) != nil {
            throw OAuthRefusal("invalid_request", "\(field.name) is repeated.")
        }
        return fields
    }

    private static let malformed = OAuthRefusal("invalid_request", "The body must be a well-formed form.")

    /// The parameters as those of a pushed authorization request.
    var query: AuthorizationQuery { AuthorizationQuery(fields) }

    /// The value; nil when absent or empty, which is the same.
    subscript(_ name: String) -> String? {
        fields[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The value.
    ///
    /// - Throws: `invalid_request` when it is absent.
    func required(_ name: String) throws(OAuthRefusal) -> String {
        guard let value = self[name] else { throw OAuthRefusal("invalid_request", "\(name) is missing.") }
        return value
    }
}
