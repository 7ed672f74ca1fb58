internal import IdentityHTTP

package struct LoopbackRequest: Sendable {
    package let method: String
    /// The request target as received: path and query.
    package let target: String
    package let path: String
    /// The query as received, without question mark; nil if the target has no question mark.
    package let query: String?
    package let headers: [(name: String, value: String)]
    package let body: [UInt8]

    package init(method: String, target: String, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.method = method
        self.target = target
        let bytes = Array(target.utf8)
        let mark = bytes.firstIndex(of: UInt8(ascii: "?"))
        path = String(decoding: bytes[..<(mark ?? bytes.count)], as: UTF8.self)
        query = mark.map { String(decoding: bytes[($0 + 1)...], as: UTF8.self) }
        self.headers = headers
        self.body = body
    }

    package func header(_ name: String) -> String? {
        headers.first { $0.name.utf8.elementsEqual(name.utf8, by: { ASCII.lowercased($0) == ASCII.lowercased($1) }) }?
            .value
    }

    /// The decoded fields of the query, in order; empty if the query is malformed.
    package func queryFields() -> [(name: String, value: String)] {
        FormEncoding.decode(Array((query ?? "").utf8)) ?? []
    }

    /// The decoded fields of an `application/x-www-form-urlencoded` body, in order; empty if the body is malformed.
    package func formFields() -> [(name: String, value: String)] {
        FormEncoding.decode(body) ?? []
    }
}

extension LoopbackRequest: Redacted {
    /// The query, the values of the headers and the body are left out, because they may contain codes, tokens and keys.
    package var description: String {
        "\(method) \(path)\(query == nil ? "" : "?…") \(headers.map(\.name)) body: \(body.count) bytes"
    }
}
