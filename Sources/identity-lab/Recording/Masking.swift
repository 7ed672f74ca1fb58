internal import IdentityHTTP
internal import IdentityKit

/// Masks messages for the report: shows the names, and the values whose names are in one of the lists below.
enum Masking {
    /// Form and query fields whose values contain no secret and no personal data.
    private static let openFields: Set<String> = [
        "acr_values", "client_id", "code_challenge_method", "grant_type", "locale", "max_age", "prompt", "redirect_uri",
        "response_mode", "response_type", "scope", "ui_locales", "error",
    ]
    private static let openHeaders: Set<String> = [
        "accept", "cache-control", "content-length", "content-type", "origin", "user-agent",
    ]
    /// Members of JSON bodies whose values are public or plain numbers.
    private static let openMembers: Set<String> = [
        "alg", "authorization_endpoint", "crv", "customer_account_mcp_endpoint", "end_session_endpoint", "expires_in",
        "graphql_api", "issuer", "jwks_uri", "kty", "query", "refresh_token_scope", "scope", "token_endpoint",
        "token_type",
        "use", "userinfo_endpoint",
    ]
    private static let openLists: Set<String> = [
        "code_challenge_methods_supported", "grant_types_supported", "id_token_signing_alg_values_supported",
        "response_types_supported", "scopes_supported", "token_endpoint_auth_methods_supported",
    ]
    private static let maximumFields = 200

    static func parts(of request: HTTPRequest) -> [RecordedPart] {
        var parts = [RecordedPart(title: "Headers", fields: headers(request.headers))]
        if let query = request.url.query {
            parts.insert(RecordedPart(title: "Query", fields: form(Array(query.utf8))), at: 0)
        }
        if let body = request.body { parts.append(self.body(body, request.headers["content-type"])) }
        return parts
    }

    static func parts(of response: HTTPResponse) -> [RecordedPart] {
        var parts = [RecordedPart(title: "Headers", fields: headers(response.headers))]
        if !response.body.isEmpty { parts.append(body(response.body, response.headers["content-type"])) }
        return parts
    }

    /// Returns the fields of a query or a form body; empty if it is malformed.
    static func form(_ bytes: [UInt8]) -> [RecordedField] {
        (FormEncoding.decode(bytes) ?? []).prefix(maximumFields).map { field in
            RecordedField(name: shown(field.name), value: openFields.contains(field.name) ? shown(field.value) : nil)
        }
    }

    static func callback(_ url: String) -> [RecordedField] {
        let query = url.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst().prefix { $0 != UInt8(ascii: "#") }
        return form(Array(query))
    }

    /// Returns the operation name of a GraphQL request: the identifier after `query` or `mutation`.
    static func operation(of request: HTTPRequest) -> String? {
        guard let body = request.body, let text = (try? JSONValue(parsing: body))?["query"]?.string else { return nil }
        let identifiers = text.split(maxSplits: 64) { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")) }
        guard let keyword = identifiers.firstIndex(where: { $0 == "query" || $0 == "mutation" }),
            keyword + 1 < identifiers.count
        else { return nil }
        return String(identifiers[keyword + 1].prefix(60))
    }

    private static func headers(_ headers: HTTPHeaders) -> [RecordedField] {
        headers.names.prefix(maximumFields).map { name in
            let value = headers[name] ?? ""
            let lowercased = name.lowercased()
            if openHeaders.contains(lowercased) { return RecordedField(name: name, value: shown(value)) }
            guard lowercased == "authorization" else { return RecordedField(name: name, value: nil) }
            let scheme = ["Basic ", "Bearer ", "DPoP "].first { value.hasPrefix($0) } ?? ""
            return RecordedField(name: name, value: scheme + RecordedField.mask)
        }
    }

    private static func body(_ bytes: [UInt8], _ contentType: String?) -> RecordedPart {
        if MediaType.form.matches(contentType) {
            return RecordedPart(title: "Form", fields: form(bytes))
        }
        if let value = try? JSONValue(parsing: bytes) {
            var fields: [RecordedField] = []
            append(value, named: nil, depth: 0, to: &fields)
            return RecordedPart(title: "JSON", fields: fields)
        }
        return RecordedPart(title: "Body", fields: [RecordedField(name: "\(bytes.count) bytes", value: nil)])
    }

    private static func append(_ value: JSONValue, named name: String?, depth: Int, to fields: inout [RecordedField]) {
        guard fields.count < maximumFields, depth < 12 else { return }
        switch value {
        case .object(let object):
            if let name { fields.append(RecordedField(name: shown(name), value: "", depth: depth)) }
            for member in object.members {
                append(member.value, named: member.name, depth: depth + (name == nil ? 0 : 1), to: &fields)
            }
        case .array(let elements):
            let name = name ?? "list"
            let texts = elements.compactMap(\.string)
            if openLists.contains(name), texts.count == elements.count {
                fields.append(
                    RecordedField(name: shown(name), value: shown(texts.joined(separator: " ")), depth: depth)
                )
                return
            }
            fields.append(RecordedField(name: shown(name), value: "\(elements.count) ×", depth: depth))
            // The first element shows the structure of the others.
            if let first = elements.first, first.object != nil {
                append(first, named: nil, depth: depth + 1, to: &fields)
            }
        default:
            let name = name ?? "value"
            let text = value.string ?? value.number?.text
            fields.append(
                RecordedField(
                    name: shown(name),
                    value: openMembers.contains(name) ? text.map(shown) : nil,
                    depth: depth
                )
            )
        }
    }

    private static func shown(_ text: String) -> String {
        let limit = 2000
        return text.count > limit ? text.prefix(limit).printable + "…" : text.printable
    }
}
