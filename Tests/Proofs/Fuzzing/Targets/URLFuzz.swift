import CIdentityCurl
import IdentityHTTP

/// Checks that libcurl, which connects, parses accepted URLs the same way: a difference could send a request to a wrong host.
enum URLFuzz {
    static func check(_ input: [UInt8]) throws {
        guard let text = String(validating: input, as: UTF8.self), let url = try? HTTPURL(text) else { return }
        try require(url.text.utf8.elementsEqual(input), "the text differs")
        try require(input.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a byte that is not allowed in a URL")
        let handle = unsafe curl_url()
        defer { unsafe curl_url_cleanup(handle) }
        try require(
            unsafe curl_url_set(handle, CURLUPART_URL, text, UInt32(CURLU_PATH_AS_IS)) == CURLUE_OK,
            "libcurl refuses the URL"
        )
        func part(_ part: CURLUPart, _ flags: Int32 = 0) -> String? {
            var value: UnsafeMutablePointer<CChar>?
            guard unsafe curl_url_get(handle, part, &value, UInt32(flags)) == CURLUE_OK, let value = unsafe value
            else { return nil }
            defer { unsafe curl_free(value) }
            return unsafe String(cString: value)
        }
        try require(part(CURLUPART_USER) == nil && part(CURLUPART_PASSWORD) == nil, "libcurl finds user information")
        try require(part(CURLUPART_FRAGMENT) == nil, "libcurl finds a fragment")
        try require(part(CURLUPART_SCHEME) == url.scheme, "the scheme differs")
        try require(part(CURLUPART_PORT, CURLU_DEFAULT_PORT) == String(url.port), "the port differs")
        // libcurl shortens IPv6 literals, after it has validated them.
        if url.host.utf8.first != UInt8(ascii: "[") {
            try require(part(CURLUPART_HOST)?.lowercased() == url.host, "the host differs")
        }
        try require(part(CURLUPART_PATH) == url.path, "the path differs")
        try require(part(CURLUPART_QUERY) ?? "" == url.query ?? "", "the query differs")
    }
}
