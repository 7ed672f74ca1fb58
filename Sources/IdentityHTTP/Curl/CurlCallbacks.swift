internal import CIdentityCurl
internal import IdentityPlatform

/// The functions that libcurl calls.
///
/// Each function of this type gets the ``CurlHandle`` as context. The documentation of ``CurlHandle`` says why this is safe.
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

    // libcurl ends the transfer if the callback returns another number than the number of offered bytes. If libcurl offers 0 bytes, the
    // result 0 does not end the transfer. In this case ``CurlLoop`` reports the reader's failure at the end of the transfer.
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

    /// Called when a new or reused connection exists, immediately before the request is written to it.
    private static let prerequest: curl_prereq_callback = { context, remoteAddress, _, remotePort, _ in
        guard let context = unsafe context else { return CURL_PREREQFUNC_ABORT }
        let handle = unsafe handle(context)
        guard let exchange = handle.work?.exchange else { return CURL_PREREQFUNC_ABORT }
        // The policy may have refused another address of the host while libcurl connected. A reused connection may have been
        // established by a request with another policy.
        let isPermitted = permits(handle) {
            let text = unsafe remoteAddress.map { unsafe String(cString: $0) } ?? ""
            return ResolvedAddress(host: text, port: UInt16(clamping: remotePort))
        }
        guard isPermitted else { return CURL_PREREQFUNC_ABORT }
        guard handle.work?.attempts == 0 || exchange.request.isRepeatable else {
            handle.work?.failure = (.connectionLost, "No response arrived. This request must not be sent twice.")
            return CURL_PREREQFUNC_ABORT
        }
        // `maySend` is called last, because the process may have been suspended while the connection was established.
        if let maySend = exchange.request.maySend, !maySend() {
            handle.work?.failure = (.sendingRefused, "The request was not sent, because `maySend` returned false.")
            return CURL_PREREQFUNC_ABORT
        }
        handle.work?.failure = nil
        handle.work?.attempts += 1
        if handle.work?.attempts != 1 { handle.work?.reader.restart() }
        return CURL_PREREQFUNC_OK
    }
}
