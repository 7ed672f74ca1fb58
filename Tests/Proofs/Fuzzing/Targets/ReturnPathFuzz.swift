import CIdentityCurl
import IdentityHTTP
import IdentityKit

/// Checks that accepted return paths stay in the app, for libcurl and for browsers, also if a proxy decodes the path twice more.
enum ReturnPathFuzz {
    private static let policy = Result { try ReturnPathPolicy(origins: ["https://shop.example"]) }

    static func check(_ input: [UInt8]) throws {
        let policy = try policy.get()
        guard let text = String(validating: input, as: UTF8.self) else { return }
        let location: String
        do {
            location = try policy.location(for: text)
        } catch {
            try require(error.code == .returnPathRefused, "the error code differs")
            return
        }
        try require(location.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a byte that is not allowed in a header")
        try require(location.utf8.count <= 2048, "the location is too long")
        try require((try? policy.location(for: location)) == location, "the location is not stable")
        try require(
            try host(location) == (location.utf8.first == 0x2F ? "app.example" : "shop.example"),
            "the location leads to another host"
        )
        var decoded = Array(location.utf8)
        for _ in 0..<3 {
            try require(staysHome(decoded), "a browser leaves the app")
            decoded = decode(decoded)
        }
    }

    /// The host that libcurl resolves for a location on a page of the app.
    private static func host(_ location: String) throws -> String? {
        let handle = unsafe curl_url()
        defer { unsafe curl_url_cleanup(handle) }
        for url in ["https://app.example/folder/page", location] {
            try require(unsafe curl_url_set(handle, CURLUPART_URL, url, 0) == CURLUE_OK, "libcurl refuses the location")
        }
        var value: UnsafeMutablePointer<CChar>?
        guard unsafe curl_url_get(handle, CURLUPART_HOST, &value, 0) == CURLUE_OK, let value = unsafe value else {
            return nil
        }
        defer { unsafe curl_free(value) }
        return unsafe String(cString: value)
    }

    /// Whether a browser stays at the app or at the permitted origin.
    ///
    /// By the URL standard a browser removes tabs and line ends, reads a backslash as a slash, and two slashes begin a host.
    private static func staysHome(_ location: [UInt8]) -> Bool {
        let bytes = location.drop { $0 <= 0x20 }.filter { ![0x09, 0x0A, 0x0D].contains($0) }
            .map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }
        if bytes.first == UInt8(ascii: "/") { return bytes.dropFirst().first != UInt8(ascii: "/") }
        let origin = Array("https://shop.example".utf8)
        let next = bytes.dropFirst(origin.count).first
        return bytes.starts(with: origin) && (next == nil || "/?#".utf8.contains(next ?? 0))
    }

    private static func decode(_ text: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), digits.utf8.count == 2, let value = UInt8(digits, radix: 16) {
                output.append(value)
                rest = rest.dropFirst(2)
            } else {
                output.append(byte)
            }
        }
        return output
    }
}
