/// Finds the parts of an absolute http or https URL, and refuses URLs that two programs could read differently.
struct HTTPURLParser {
    struct Parts: Sendable {
        // 32 bits suffice for a URL's 8 KiB, and save memory, because many values contain URLs.
        var path: Range<UInt32>
        var query: Range<UInt32>?
        var port: UInt16
        var isSecure: Bool
        var isLoopback: Bool
    }

    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    func parse() throws(HTTPURLError) -> (parts: Parts, host: Range<Int>) {
        try Self.checkLength(bytes.count)
        let (isSecure, start) = try scheme()
        let end = bytes[start...].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? bytes.count
        // All characters after the scheme are checked first. Otherwise the error for a backslash or a fragment after the host would
        // say that the host is invalid.
        try checkRest(start)
        let (host, port, isLoopback) = try authority(start..<end)
        let mark = bytes[end...].firstIndex(of: UInt8(ascii: "?"))
        let parts = Parts(
            path: UInt32(end)..<UInt32(mark ?? bytes.count),
            query: mark.map { UInt32($0) + 1..<UInt32(bytes.count) },
            port: port ?? (isSecure ? 443 : 80),
            isSecure: isSecure,
            isLoopback: isLoopback
        )
        return (parts, host)
    }

    /// Checks the part of a URL's query that begins at `start`, and the length of the whole URL.
    func checkQuery(from start: Int) throws(HTTPURLError) {
        try Self.checkLength(bytes.count)
        try checkRest(start, inAuthority: false)
    }

    static func checkLength(_ count: Int) throws(HTTPURLError) {
        guard count <= 8 << 10 else {
            throw HTTPURLError(code: .tooLong, message: "The URL is longer than 8 KiB.")
        }
    }

    private func scheme() throws(HTTPURLError) -> (isSecure: Bool, end: Int) {
        let lower = bytes.prefix(8).map(ASCII.lowercased)
        if lower.starts(with: "https://".utf8) { return (true, 8) }
        if lower.starts(with: "http://".utf8) { return (false, 7) }
        throw HTTPURLError(code: .scheme, message: "The URL does not begin with https:// or http://.")
    }

    private func checkRest(_ start: Int, inAuthority: Bool = true) throws(HTTPURLError) {
        let permitted = ASCII.pathOrQuery
        let bytes = bytes.span
        var inAuthority = inAuthority
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            if permitted.contains(byte) {
                if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") { inAuthority = false }
            } else if byte == UInt8(ascii: "#") {
                throw HTTPURLError(code: .fragment, message: "The URL has a fragment.")
            } else if byte == UInt8(ascii: "%") {
                guard index + 2 < bytes.count, ASCII.hexValue(bytes[index + 1]) != nil,
                    ASCII.hexValue(bytes[index + 2]) != nil
                else {
                    throw HTTPURLError(code: .character, message: "The URL has a % without two hexadecimal digits.")
                }
            } else if !inAuthority || byte != UInt8(ascii: "[") && byte != UInt8(ascii: "]") {
                throw HTTPURLError(code: .character, message: "The URL has a character that RFC 3986 does not permit.")
            }
            index += 1
        }
    }

    private func authority(
        _ range: Range<Int>
    ) throws(HTTPURLError) -> (host: Range<Int>, port: UInt16?, isLoopback: Bool) {
        if bytes[range].contains(UInt8(ascii: "@")) {
            throw HTTPURLError(code: .userInformation, message: "The URL has user information before the host.")
        }
        let hostEnd: Int
        let isLoopback: Bool
        if bytes[range].first == UInt8(ascii: "[") {
            guard let close = bytes[range].firstIndex(of: UInt8(ascii: "]")),
                let address = NumericAddress.parse(
                    String(decoding: bytes[range.lowerBound + 1..<close], as: UTF8.self)
                ),
                address.count == 16
            else {
                throw HTTPURLError(
                    code: .host,
                    message: "The host begins with [ but is not an IPv6 address followed by ]."
                )
            }
            hostEnd = close + 1
            isLoopback = NumericAddress.isLoopback(address)
        } else {
            hostEnd = bytes[range].firstIndex(of: UInt8(ascii: ":")) ?? range.upperBound
            isLoopback = try checkName(range.lowerBound..<hostEnd)
        }
        return (range.lowerBound..<hostEnd, try port(hostEnd..<range.upperBound), isLoopback)
    }

    // Checks a host without brackets, and returns whether the host is a loopback address. Programs read octal and hexadecimal forms of IPv4
    // addresses in different ways. So if the last label is a number or begins with 0x, the host must be four decimal numbers.
    private func checkName(_ range: Range<Int>) throws(HTTPURLError) -> Bool {
        let labels = bytes[range].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isName = labels.allSatisfy { label in
            !label.isEmpty && label.count <= 63
                && label.allSatisfy {
                    ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
                }
                && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
        }
        guard range.count <= 253, isName, let last = labels.last else {
            throw HTTPURLError(code: .host, message: "The host is neither a host name (RFC 1123) nor an IP address.")
        }
        let looksHexadecimal =
            last.count >= 2 && last.prefix(2).elementsEqual("0x".utf8, by: { ASCII.lowercased($0) == $1 })
        guard last.allSatisfy(ASCII.isDigit) || looksHexadecimal else { return false }
        guard let address = NumericAddress.parse(String(decoding: bytes[range], as: UTF8.self)), address.count == 4
        else {
            throw HTTPURLError(
                code: .host,
                message: "The last part of the host is a number or starts with 0x, "
                    + "but the host is not an IPv4 address of four decimal numbers without leading zeros."
            )
        }
        return NumericAddress.isLoopback(address)
    }

    private func port(_ range: Range<Int>) throws(HTTPURLError) -> UInt16? {
        guard !range.isEmpty else { return nil }
        let digits = bytes[range].dropFirst()
        guard bytes[range.lowerBound] == UInt8(ascii: ":"), !digits.isEmpty, digits.count <= 5,
            digits.allSatisfy(ASCII.isDigit), let port = UInt16(String(decoding: digits, as: UTF8.self)), port > 0
        else {
            throw HTTPURLError(code: .port, message: "The port is not a number from 1 to 65535 with at most 5 digits.")
        }
        return port
    }
}
