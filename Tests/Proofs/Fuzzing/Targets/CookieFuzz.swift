import IdentityHTTP

/// Checks that after any `Set-Cookie` lines the `Cookie` header is short, has no control character, and goes to no other host.
enum CookieFuzz {
    static func check(_ input: [UInt8]) throws {
        let url = try HTTPURL("https://shop.example/on/demandware")
        var headers = HTTPHeaders()
        for line in input.split(separator: 0x0A).prefix(200) {
            // Bytes that are not allowed in a header do not reach the jar.
            try? headers.append("Set-Cookie", String(decoding: line, as: UTF8.self))
        }
        var jar = CookieJar()
        jar.absorb(HTTPResponse(status: 200, headers: headers, body: []), from: url)
        for address in ["https://shop.example/on/x", "https://other.example/", "http://shop.example/on/"] {
            guard let header = jar.header(for: try HTTPURL(address)) else { continue }
            let isWhole = header.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
            try require(isWhole, "a control character in the header")
            try require(header.utf8.count <= 65_536, "the header is too long")
            try require(!address.contains("other"), "a cookie for another host")
        }
    }
}
