internal import CIdentityCurl
internal import IdentityPlatform

extension CurlCallbacks {
    /// Creates the socket for a connection to an address, unless the request's policy refuses the address.
    ///
    /// libcurl calls this function before it connects, so a refused address gets no bytes, not even of a TLS handshake.
    static let openSocket: curl_opensocket_callback = { context, _, address in
        guard let context = unsafe context, let address = unsafe address else { return -1 }
        let handle = unsafe handle(context)
        guard let exchange = handle.exchange, permits(exchange, { unsafe resolvedAddress(address) }) else { return -1 }
        let (family, type, number) = unsafe (address.pointee.family, address.pointee.socktype, address.pointee.protocol)
        let socket = Platform.socket(family, type, number)
        handle.sockets.opened(socket)
        return socket
    }

    /// Whether the policy of the request permits an address.
    ///
    /// A refusal sets the request's failure to `addressRefused`. After that, every address is refused for this request.
    static func permits(_ exchange: CurlExchange, _ address: () -> ResolvedAddress?) -> Bool {
        guard exchange.failure?.code != .addressRefused else { return false }
        let policy = exchange.request.addressPolicy
        if policy.permitsEverything { return true }
        let address = address()
        if let address, policy.allows(address) { return true }
        let shown = address?.description ?? "(unknown)"
        exchange.failure = (.addressRefused, "The policy \(policy.name) does not permit the address \(shown).")
        return false
    }

    private static func resolvedAddress(_ address: UnsafeMutablePointer<curl_sockaddr>) -> ResolvedAddress? {
        // libcurl writes `addrlen` bytes at `addr`, possibly more than the declared size of `addr`. The bytes are a sockaddr_in or a
        // sockaddr_in6. In both, the port is at offset 2; the offset of the address differs.
        guard let start = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
        let bytes = unsafe Array(
            UnsafeRawBufferPointer(
                start: UnsafeRawPointer(address).advanced(by: start),
                count: Int(address.pointee.addrlen)
            )
        )
        guard bytes.count >= MemoryLayout<sockaddr_in>.size else { return nil }
        let port = UInt16(bytes[2]) << 8 | UInt16(bytes[3])
        switch unsafe address.pointee.family {
        case AF_INET:
            return ResolvedAddress(bytes: Array(bytes[4..<8]), port: port)
        case AF_INET6 where bytes.count >= MemoryLayout<sockaddr_in6>.size:
            return ResolvedAddress(bytes: Array(bytes[8..<24]), port: port)
        default:
            return nil
        }
    }
}
