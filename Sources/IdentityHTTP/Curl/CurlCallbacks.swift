internal import CIdentityCurl
internal import IdentityPlatform

/// The functions that libcurl calls.
///
/// Each gets the ``CurlHandle`` as context. That type documents why this is safe.
enum CurlCallbacks {
    static func install(_ easy: UnsafeMutableRawPointer) -> Bool {
        unsafe identity_curl_set_write(easy, CURLOPT_WRITEFUNCTION, body) == CURLE_OK
            && identity_curl_set_write(easy, CURLOPT_HEADERFUNCTION, header) == CURLE_OK
            && identity_curl_set_open_socket(easy, openSocket) == CURLE_OK
            && identity_curl_set_close_socket(easy, CurlSockets.close) == CURLE_OK
            && identity_curl_set_prerequest(easy, prerequest) == CURLE_OK
    }

    private static func handle(_ context: UnsafeMutableRawPointer) -> CurlHandle {
        unsafe Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue()
    }

    // A return value other than the offered count ends the transfer. 0 always does, because libcurl never offers an empty piece.
    private static let body: curl_write_callback = { bytes, size, count, context in
        guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
        let piece = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
        return unsafe handle(context).work?.reader.appendBody(piece) == true ? piece.count : 0
    }

    private static let header: curl_write_callback = { bytes, size, count, context in
        guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
        let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
        return unsafe handle(context).work?.reader.appendLine(line) == true ? line.count : 0
    }

    /// Creates the socket for an address, or refuses it.
    ///
    /// This is the last check of the address before bytes are sent.
    private static let openSocket: curl_opensocket_callback = { context, _, address in
        guard let context = unsafe context, let address = unsafe address else { return -1 }
        let handle = unsafe handle(context)
        guard let policy = handle.work?.exchange.request.addressPolicy else { return -1 }
        // If a name resolves to a refused address, its other addresses are refused, too.
        guard handle.work?.failure?.code != .addressRefused else { return -1 }
        if !policy.permitsEverything {
            let resolved = unsafe resolvedAddress(address)
            guard let resolved, policy.allows(resolved) else {
                handle.work?.failure = refusal(policy, resolved)
                return -1
            }
        }
        let type = unsafe address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
        let socket = unsafe socket(address.pointee.family, type, address.pointee.protocol)
        handle.sockets.opened(socket)
        return socket
    }

    /// Called when a new or reused connection exists, immediately before the request is written to it.
    private static let prerequest: curl_prereq_callback = { context, remoteAddress, _, remotePort, _ in
        guard let context = unsafe context else { return CURL_PREREQFUNC_ABORT }
        let handle = unsafe handle(context)
        guard let request = handle.work?.exchange.request else { return CURL_PREREQFUNC_ABORT }
        let policy = request.addressPolicy
        // The policy may have refused another address of the same name during the connection attempt.
        guard handle.work?.failure?.code != .addressRefused else { return CURL_PREREQFUNC_ABORT }
        if !policy.permitsEverything {
            // A reused connection may have been established under another policy.
            let text = unsafe remoteAddress.map { unsafe String(cString: $0) } ?? ""
            let address = ResolvedAddress(host: text, port: UInt16(clamping: remotePort))
            guard let address, policy.allows(address) else {
                handle.work?.failure = refusal(policy, address)
                return CURL_PREREQFUNC_ABORT
            }
        }
        // libcurl sends a request with any method again by itself, up to five times: when a used connection ends without
        // one byte of response (Curl_retry_request in lib/transfer.c), when the server refuses an HTTP/2 stream, and when it
        // demands HTTP/1.1. The server may have processed the first copy, and a refresh token that is sent twice ends the
        // session. libcurl has no option to prevent this, but it calls this function before each attempt. A fresh
        // connection for each request would prevent it too, at the cost of a handshake.
        let isRepeatable = (request.method == .get || request.method == .head) && !request.isSentOnce
        guard handle.work?.attempts == 0 || isRepeatable else {
            handle.work?.failure = (.connectionLost, "The connection ended before a response arrived.")
            return CURL_PREREQFUNC_ABORT
        }
        // Checked last, because the process may have been suspended while the connection was established.
        if let maySend = request.maySend, !maySend() {
            handle.work?.failure = (.sendingRefused, "The request was not sent, because `maySend` returned false.")
            return CURL_PREREQFUNC_ABORT
        }
        handle.work?.failure = nil
        handle.work?.attempts += 1
        if handle.work?.attempts != 1 { handle.work?.reader.restart() }
        return CURL_PREREQFUNC_OK
    }

    private static func refusal(
        _ policy: AddressPolicy,
        _ address: ResolvedAddress?
    ) -> (HTTPTransportError.Code, String) {
        (
            .addressRefused,
            "The policy \(policy.name) does not permit the address \(address?.description ?? "(unknown)")."
        )
    }

    private static func resolvedAddress(_ address: UnsafeMutablePointer<curl_sockaddr>) -> ResolvedAddress? {
        // libcurl's structure has space for the largest socket address, and addrlen is the length of the filled part, so
        // this number of bytes from `addr` on may be read. Port and address are at the offsets of sockaddr_in and
        // sockaddr_in6.
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
