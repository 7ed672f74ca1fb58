internal import CIdentityCurl
internal import IdentityPlatform

/// The functions that libcurl calls with an unretained pointer to a ``CurlHandle``, whose documentation says why the pointer is valid.
enum CurlCallbacks {
    static func install(_ easy: UnsafeMutableRawPointer) -> Bool {
        unsafe identity_curl_set_write(easy, CURLOPT_WRITEFUNCTION, body) == CURLE_OK
            && identity_curl_set_write(easy, CURLOPT_HEADERFUNCTION, header) == CURLE_OK
            && identity_curl_set_open_socket(easy, openSocket) == CURLE_OK
            && identity_curl_set_close_socket(easy, CurlSockets.close) == CURLE_OK
            && identity_curl_set_prerequest(easy, prerequest) == CURLE_OK
    }

    static func handle(_ context: UnsafeMutableRawPointer) -> CurlHandle {
        unsafe Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue()
    }

    // libcurl ends the transfer if a callback returns another number than the number of offered bytes. If the reader rejects a piece of
    // 0 bytes, both numbers are 0, so the transfer goes on. ``CurlLoop`` then reports the reader's failure at the end of the transfer.
    private static let body: curl_write_callback = { bytes, size, count, context in
        guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
        let piece = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
        return unsafe handle(context).exchange?.reader.appendBody(piece) == true ? piece.count : 0
    }

    private static let header: curl_write_callback = { bytes, size, count, context in
        guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
        let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
        return unsafe handle(context).exchange?.reader.appendLine(line) == true ? line.count : 0
    }

    /// Permits or refuses a request immediately before libcurl writes the request to a new or reused connection.
    private static let prerequest: curl_prereq_callback = { context, remoteAddress, _, remotePort, _ in
        guard let context = unsafe context else { return CURL_PREREQFUNC_ABORT }
        let handle = unsafe handle(context)
        guard let exchange = handle.exchange else { return CURL_PREREQFUNC_ABORT }
        // The address is checked again for two reasons. The policy may have refused another address of the host while libcurl
        // connected. A reused connection may have been established by a request with another policy.
        let isPermitted = permits(exchange) {
            let text = unsafe remoteAddress.map { unsafe String(cString: $0) } ?? ""
            return ResolvedAddress(host: text, port: UInt16(clamping: remotePort))
        }
        guard isPermitted else { return CURL_PREREQFUNC_ABORT }
        guard exchange.attempts == 0 || exchange.request.isRepeatable else {
            let message = "No response arrived, and this request must not be sent twice."
            exchange.failure = (.connectionLost, message)
            return CURL_PREREQFUNC_ABORT
        }
        // `maySend` is called last, because the process may have been suspended while the connection was established.
        if let maySend = exchange.request.maySend, !maySend() {
            exchange.failure = (.sendingRefused, "The request was not sent, because `maySend` returned false.")
            return CURL_PREREQFUNC_ABORT
        }
        exchange.failure = nil
        exchange.attempts += 1
        if exchange.attempts != 1 { exchange.reader.restart() }
        return CURL_PREREQFUNC_OK
    }
}

extension HTTPRequest {
    /// Whether libcurl may send the request again; the callback `prerequest` checks this before each repetition.
    ///
    /// libcurl repeats requests with any method, up to five times: when a reused connection ends without one byte of a response
    /// (`Curl_retry_request` in `lib/transfer.c`), when the server refuses an HTTP/2 stream, and when the server demands HTTP/1.1. No
    /// option of libcurl prevents this. The server may have processed the first copy, and a refresh token that is sent twice may end the
    /// session.
    fileprivate var isRepeatable: Bool {
        // A DPoP proof is valid for one request only (RFC 9449 section 11.1).
        (method == .get || method == .head) && !isSentOnce && headers["DPoP"] == nil
    }
}
