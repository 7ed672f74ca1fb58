/// A request as it arrived, byte for byte, for tests to assert on.
///
/// A printed request shows its tokens and client secrets unredacted: do not send real secrets to the sandbox.
public struct SandboxRequest: Sendable {
    /// A name with a value: a header field, a form field or a query field.
    public typealias Field = (name: String, value: String)

    /// The endpoint that received the request.
    public let endpoint: SandboxEndpoint
    /// The HTTP method.
    public let method: String
    /// The path, still percent-encoded.
    public let path: String
    /// The query, still percent-encoded and without question mark; nil if the URL has no query.
    public let query: String?
    /// The header fields in the order of arrival.
    public let headers: [Field]
    /// The body.
    public let body: [UInt8]

    /// The value of the first header with this name; the comparison ignores case.
    public func header(_ name: String) -> String? {
        let wanted = name.lowercased()
        return headers.first { $0.name.lowercased() == wanted }?.value
    }

    /// The fields of the query, decoded; empty when they cannot be decoded.
    public var queryFields: [Field] {
        query.flatMap { FormText.decode(Array($0.utf8)) } ?? []
    }

    /// The fields of a form body, decoded; empty if the body is not a well-formed form.
    public var formFields: [Field] {
        FormText.decode(body) ?? []
    }

    /// The value of the first query field with this name.
    public func queryValue(_ name: String) -> String? {
        queryFields.first { $0.name == name }?.value
    }

    /// The value of the first form field with this name.
    public func formValue(_ name: String) -> String? {
        formFields.first { $0.name == name }?.value
    }

    /// The body as text; invalid UTF-8 is replaced.
    public var bodyText: String { String(decoding: body, as: UTF8.self) }

    var cookies: [String: String] {
        var cookies: [String: String] = [:]
        for pair in header("cookie")?.split(separator: ";") ?? [] {
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard let name = parts.first else { continue }
            cookies[String(name.drop { $0 == " " })] = parts.count == 2 ? String(parts[1]) : ""
        }
        return cookies
    }
}
