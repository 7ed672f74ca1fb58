/// The numeric addresses that a request may be sent to.
///
/// ``CurlTransport`` checks an address before it connects, and checks the address of a connection again before it sends a request. A check
/// of the host name would not help, because the name can resolve to another address a moment later.
///
/// With a proxy, ``CurlTransport`` checks the address of the proxy instead.
public struct AddressPolicy: Sendable {
    /// The policy's name in errors.
    public let name: String
    private let decision: (@Sendable (ResolvedAddress) -> Bool)?

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - name: The name that errors show.
    ///   - allows: Returns whether an address is permitted. The transport calls this closure on its own thread, so it must not block.
    public init(name: String, allows: @escaping @Sendable (ResolvedAddress) -> Bool) {
        self.name = name
        decision = allows
    }

    private init(name: String) {
        self.name = name
        decision = nil
    }

    /// The policy that permits every address.
    public static let any = AddressPolicy(name: "any")

    /// A policy that permits only addresses of the public internet.
    ///
    /// The policy refuses loopback, private, link-local (also 169.254.169.254), shared (CGNAT), multicast, unspecified, broadcast,
    /// documentation, benchmarking and reserved ranges. The policy also refuses IPv4-mapped, 6to4 and Teredo addresses, which wrap an IPv4
    /// address in IPv6. An address with the well-known prefix of NAT64 (64:ff9b::/96) is permitted if the IPv4 address in it is public.
    /// Source: the IANA special-purpose address registries (RFC 6890).
    public static let publicOnly = AddressPolicy(name: "publicOnly") { PublicAddress.isPublic($0.bytes) }

    /// A policy that permits the addresses of ``publicOnly``, and 127.0.0.0/8 and ::1, for tests on one machine.
    public static let publicOrLoopback = AddressPolicy(name: "publicOrLoopback") {
        $0.isLoopback || PublicAddress.isPublic($0.bytes)
    }

    /// Whether this is ``any``; with ``any``, the transport does not check addresses.
    package var permitsEverything: Bool { decision == nil }

    /// Whether the address is permitted.
    public func allows(_ address: ResolvedAddress) -> Bool {
        decision?(address) ?? true
    }
}

extension AddressPolicy: CustomStringConvertible {
    /// The policy's name.
    public var description: String { name }
}
