/// The cookies that a browser sent with a request (RFC 6265 section 4.2); names and values are compared byte by byte.
package struct RequestCookies: Sendable {
    private static let maximumCount = 256

    private let pairs: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)]

    /// Reads the first 256 cookies of all `Cookie` fields; HTTP/2 may split the cookies over several fields (RFC 9113 section 8.2.3).
    package init(_ headers: HTTPHeaders) {
        pairs = headers.values(for: "Cookie").flatMap { line in
            Array(line.utf8).split(separator: UInt8(ascii: ";")).compactMap { pair in
                let pair = pair.drop(while: ASCII.isWhitespace)
                guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return nil }
                return (pair[..<equals], pair[(equals + 1)...])
            }
        }.prefix(Self.maximumCount).map { $0 }
    }

    package var names: [String] { pairs.map { String(decoding: $0.name, as: UTF8.self) } }

    /// The value of a cookie; nil if the browser sent no cookie with this name.
    ///
    /// The result is also nil if the browser sent several cookies with this name and different values, because another host of the
    /// domain may have set one of these cookies.
    package func value(of name: String) -> String? {
        let found = pairs.filter { $0.name.elementsEqual(name.utf8) }
        guard let first = found.first, found.allSatisfy({ $0.value.elementsEqual(first.value) }) else { return nil }
        return String(decoding: first.value, as: UTF8.self)
    }
}
