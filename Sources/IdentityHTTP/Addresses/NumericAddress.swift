internal import IdentityPlatform

/// Converts numeric IP addresses between text and bytes with the C library's strict parsers.
package enum NumericAddress {
    /// The bytes of an IPv4 address (4) or IPv6 address (16); `nil` for other texts, such as `127.1`, `010.0.0.1` and `fe80::1%eth0`.
    package static func parse(_ text: String) -> [UInt8]? {
        // The C functions stop at a NUL and would ignore the rest of the text.
        guard !text.isEmpty, text.utf8.count <= 45, !text.utf8.contains(0) else { return nil }
        var four = in_addr()
        if unsafe inet_pton(AF_INET, text, &four) == 1 {
            return unsafe withUnsafeBytes(of: &four) { unsafe Array($0) }
        }
        var sixteen = in6_addr()
        if unsafe inet_pton(AF_INET6, text, &sixteen) == 1 {
            return unsafe withUnsafeBytes(of: &sixteen) { unsafe Array($0) }
        }
        return nil
    }

    static func text(_ bytes: [UInt8]) -> String? {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        var room = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard unsafe inet_ntop(family, bytes, &room, socklen_t(room.count)) != nil else { return nil }
        return String(decoding: room.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    static func isLoopback(_ bytes: [UInt8]) -> Bool {
        bytes.count == 4
            ? bytes[0] == 127 : bytes.count == 16 && bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
    }
}
