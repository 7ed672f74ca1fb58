/// The numeric address and the port of a connection that is established or about to be established.
public struct ResolvedAddress: Sendable, Hashable {
    /// The address as text: dotted decimal for IPv4, RFC 5952 form without brackets for IPv6.
    public let host: String
    /// The port.
    public let port: UInt16
    /// The address in network order: 4 bytes for IPv4, 16 bytes for IPv6.
    package let bytes: [UInt8]

    /// Creates an address from its text.
    ///
    /// Returns `nil` for other text, such as a name, a shortened or octal IPv4 address, or an address with a zone identifier.
    public init?(host: String, port: UInt16) {
        guard let bytes = NumericAddress.parse(host) else { return nil }
        self.init(bytes: bytes, port: port)
    }

    package init?(bytes: [UInt8], port: UInt16) {
        guard let text = NumericAddress.text(bytes) else { return nil }
        host = text
        self.port = port
        self.bytes = bytes
    }

    /// Whether this is an address in 127.0.0.0/8, or ::1.
    public var isLoopback: Bool {
        NumericAddress.isLoopback(bytes)
    }
}

extension ResolvedAddress: CustomStringConvertible {
    /// Address and port, such as `192.0.2.1:443` or `[2001:db8::1]:443`.
    public var description: String {
        bytes.count == 16 ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
