internal import IdentityHTTP

/// `application/x-www-form-urlencoded`, read strictly, so that encoding errors of a client are detected.
package enum FormText {
    /// The fields; nil for an invalid escape, a byte that must be escaped, or invalid UTF-8.
    package static func decode(_ bytes: [UInt8]) -> [(name: String, value: String)]? {
        bytes.allSatisfy { (0x21...0x7E).contains($0) } ? FormEncoding.decode(bytes) : nil
    }

    /// One value of a form, decoded.
    static func decodeField(_ text: String) -> String? {
        decode(Array("=\(text.replacing("&", with: "%26"))".utf8))?.first?.value
    }

    /// Fields as a form body or query.
    static func encode(_ fields: [(name: String, value: String)]) -> String {
        String(decoding: FormEncoding.encode(fields), as: UTF8.self)
    }

    /// A URL with fields appended to its query.
    package static func append(_ fields: [(name: String, value: String)], to url: String) -> String {
        guard !fields.isEmpty else { return url }
        return url + (url.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + encode(fields)
    }
}
