/// A media type that the SDK reads in a `Content-Type` (RFC 9110 section 8.3).
package enum MediaType: String {
    case form = "application/x-www-form-urlencoded"
    case jwt = "application/jwt"

    /// Whether a `Content-Type` names this type, in upper or lower case, and with or without parameters such as `charset`.
    ///
    /// A value with more than one word before its parameters does not match, because a proxy may have joined two headers.
    package func matches(_ contentType: String?) -> Bool {
        let type = (contentType ?? "").utf8.prefix { $0 != UInt8(ascii: ";") }
        let words = type.split(whereSeparator: ASCII.isWhitespace)
        guard words.count == 1 else { return false }
        return words[0].elementsEqual(rawValue.utf8) { ASCII.lowercased($0) == $1 }
    }
}
