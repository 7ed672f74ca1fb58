internal import CIdentityCurl

/// One easy handle of libcurl and its current request; used on the loop's thread only.
///
/// Memory: libcurl passes an unretained pointer to this object to the functions of ``CurlCallbacks``. libcurl calls these functions only
/// while the easy handle is in the multi handle. During this time ``CurlLoop`` keeps this object, so the pointer is valid.
@safe final class CurlHandle {
    let easy: UnsafeMutableRawPointer
    var address: UInt { unsafe UInt(bitPattern: easy) }
    private(set) var exchange: CurlExchange?
    let sockets: CurlSockets
    private var headers: UnsafeMutablePointer<curl_slist>?
    /// The route whose options are set in the handle, together with the common options; nil if no options are set.
    private var route: CurlOptions.Route?
    /// The origin of ``route``, parsed by libcurl.
    private let url: OpaquePointer
    // libcurl writes its error text here; the address must not change during the lifetime of the handle.
    private let errorBuffer: UnsafeMutablePointer<CChar>

    init?(_ sockets: CurlSockets) {
        guard let easy = unsafe curl_easy_init() else { return nil }
        guard let url = unsafe curl_url() else {
            unsafe curl_easy_cleanup(easy)
            return nil
        }
        unsafe self.easy = easy
        unsafe self.url = url
        self.sockets = sockets
        unsafe errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        unsafe curl_easy_cleanup(easy)
        unsafe curl_url_cleanup(url)
        unsafe curl_slist_free_all(headers)
        unsafe errorBuffer.deallocate()
    }

    /// libcurl's error text for the last transfer, with `?` in place of each byte that is not printable ASCII.
    var detail: String {
        let bytes = unsafe UnsafeBufferPointer(start: errorBuffer, count: Int(CURL_ERROR_SIZE)).prefix { $0 != 0 }
        return String(
            decoding: unsafe bytes.map { $0 >= 0x20 && $0 < 0x7F ? UInt8($0) : UInt8(ascii: "?") },
            as: UTF8.self
        )
    }

    /// Sets the handle's options for a request; false if libcurl refuses an option, for example because memory is exhausted.
    func begin(_ exchange: CurlExchange, _ configuration: CurlTransport.Configuration) -> Bool {
        // One copy of the request, because each use of the class member would copy it.
        let request = exchange.request
        self.exchange = exchange
        unsafe errorBuffer.pointee = 0
        let options = unsafe CurlOptions(easy: easy)
        let next = CurlOptions.Route(request)
        if next != route {
            guard route != nil || options.setCommon(configuration) && setCallbacks(options),
                unsafe options.setRoute(next, request.url.origin, url, configuration)
            else { return false }
            route = next
        }
        return options.setRequest(request, configuration) && setHeaders(request, options)
    }

    /// Removes the request and its data, including its secrets, from the handle.
    ///
    /// If the request was not sent exactly once or got no response, libcurl keeps more data, so the handle is reset.
    func end() {
        var isReusable = false
        if case .success? = exchange?.result { isReusable = exchange?.attempts == 1 }
        exchange = nil
        let isCleared = unsafe isReusable && CurlOptions(easy: easy).clearRequest()
        if !isCleared {
            unsafe curl_easy_reset(easy)
            route = nil
        }
        unsafe curl_slist_free_all(headers)
        unsafe headers = nil
    }

    private func setCallbacks(_ options: CurlOptions) -> Bool {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        return unsafe options.set(CURLOPT_ERRORBUFFER, pointer: errorBuffer)
            && options.set(CURLOPT_WRITEDATA, pointer: context)
            && options.set(CURLOPT_HEADERDATA, pointer: context)
            && options.set(CURLOPT_OPENSOCKETDATA, pointer: context)
            && options.set(CURLOPT_PREREQDATA, pointer: context)
            && options.set(CURLOPT_CLOSESOCKETDATA, pointer: Unmanaged.passUnretained(sockets).toOpaque())
            && CurlCallbacks.install(easy)
    }

    private func setHeaders(_ request: HTTPRequest, _ options: CurlOptions) -> Bool {
        var isComplete = true
        var line: [UInt8] = []
        if request.headers.count > 0 { line.reserveCapacity(256) }
        request.headers.forEachBytes { name, value in
            line.removeAll(keepingCapacity: true)
            line += name
            // libcurl takes "Name:" without a value as the order to omit the header. "Name;" sends the header without a value.
            if value.allSatisfy(ASCII.isWhitespace) {
                line.append(UInt8(ascii: ";"))
            } else {
                line.append(UInt8(ascii: ":"))
                line.append(UInt8(ascii: " "))
                line += value
            }
            line.append(0)
            unsafe line.withUnsafeBytes { bytes in
                // The headers were checked for NUL when they were set.
                guard let start = unsafe bytes.assumingMemoryBound(to: CChar.self).baseAddress else { return }
                isComplete = unsafe append(start) && isComplete
            }
        }
        if request.body != nil || request.method == .post {
            isComplete = unsafe append("Expect:") && isComplete
            // Without this line, libcurl would add the Content-Type of a form to a request that sets none.
            if !request.headers.contains("Content-Type") {
                isComplete = unsafe append("Content-Type:") && isComplete
            }
        }
        return unsafe isComplete && options.set(CURLOPT_HTTPHEADER, pointer: headers)
    }

    private func append(_ line: UnsafePointer<CChar>) -> Bool {
        guard let list = unsafe curl_slist_append(headers, line) else { return false }
        unsafe headers = list
        return true
    }
}
