internal import CIdentityCurl
internal import IdentityPlatform

/// Sets the options of an easy handle; the functions that set options return whether libcurl accepted them.
@safe struct CurlOptions {
    let easy: UnsafeMutableRawPointer

    func setCommon(_ configuration: CurlTransport.Configuration) -> Bool {
        let idleSeconds = min(max(configuration.idleTimeout.components.seconds, 1), 86_400)
        return set(CURLOPT_NOSIGNAL, 1)
            // libcurl allocates this buffer for each request. With the default of 16 KiB, the C library returned the memory to the system
            // after each group of concurrent requests, and requested it again for the next group.
            && set(CURLOPT_BUFFERSIZE, 8_192)
            // Without this option, libcurl waits for the resolver's thread when a name resolution is cancelled, so a name server that does
            // not answer would block the whole loop and all its requests.
            && set(CURLOPT_QUICK_EXIT, 1)
            && set(CURLOPT_FOLLOWLOCATION, 0)
            && set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
            && set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
            && set(CURLOPT_HTTP09_ALLOWED, 0)
            && set(CURLOPT_HTTP_VERSION, configuration.offersHTTP2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1)
            && set(CURLOPT_SSL_VERIFYPEER, 1)
            && set(CURLOPT_SSL_VERIFYHOST, 2)
            && set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
            && set(CURLOPT_PROXY_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
            && set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
            && set(CURLOPT_MAXAGE_CONN, Int(idleSeconds))
            && set(CURLOPT_NOPROXY, "")
            && setTrust(configuration.certificateAuthorityFile)
    }

    /// The values of a request on which the options of ``setRoute(_:_:_:_:)`` depend; a handle keeps these options until it is reset.
    struct Route: Equatable {
        let isSecure: Bool
        let host: String
        let port: UInt16
        let allowsHTTP: Bool
        let usesProxy: Bool
        let connectTimeout: Duration

        init(_ request: HTTPRequest) {
            isSecure = request.url.isSecure
            host = request.url.host
            port = request.url.port
            allowsHTTP = request.allowsLoopbackHTTP && request.url.isLoopback
            // Requests to a loopback address never use a proxy.
            usesProxy = !request.url.isLoopback
            connectTimeout = request.limits.connectTimeout
        }
    }

    /// Sets the options of a route; the connect timeout is the only time limit of libcurl, because ``CurlLoop`` enforces the others.
    ///
    /// `url` must exist until the handle is reset or has another route. libcurl uses it as the parsed `origin`. Without it, libcurl would
    /// parse and format the origin for each request.
    func setRoute(
        _ route: Route,
        _ origin: String,
        _ url: OpaquePointer,
        _ configuration: CurlTransport.Configuration
    ) -> Bool {
        // An empty text makes libcurl ignore the proxy variables of the environment. The port is always set, because libcurl's default
        // for http is 1080.
        let proxy = (route.usesProxy ? configuration.proxy : nil).map { "\($0.scheme)://\($0.host):\($0.port)" }
        // libcurl connects to `url`. The text is set too: otherwise libcurl would keep an earlier origin, and read it before it repeats
        // a request.
        return unsafe set(CURLOPT_URL, origin)
            && curl_url_set(url, CURLUPART_URL, origin, UInt32(CURLU_DISALLOW_USER)) == CURLUE_OK
            && set(CURLOPT_CURLU, pointer: UnsafeMutableRawPointer(url))
            && set(CURLOPT_PROTOCOLS_STR, route.allowsHTTP ? "http,https" : "https")
            && set(CURLOPT_PROXY, proxy ?? "")
            && set(CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(route.connectTimeout))
    }

    /// Sets the options of a request; path and query are set as the request target, because libcurl would format them twice in a URL.
    func setRequest(_ request: HTTPRequest, _ configuration: CurlTransport.Configuration) -> Bool {
        let isSet = unsafe request.url.withRequestTarget {
            unsafe identity_curl_set_string(easy, CURLOPT_REQUEST_TARGET, $0) == CURLE_OK
        }
        // libcurl formats this option for each request, even if the request sets the header. To a proxy, it sends only the option.
        let needsUserAgent = configuration.proxy != nil || !request.headers.contains("User-Agent")
        return isSet && set(CURLOPT_USERAGENT, needsUserAgent ? configuration.userAgent : nil) && setMethod(request)
    }

    /// Removes the options of ``setRequest(_:_:)`` and the headers from the handle.
    func clearRequest() -> Bool {
        wipeRedirect()
        // CURLOPT_HTTPGET comes last, because it also turns HEAD and POST back into GET.
        return unsafe set(CURLOPT_REQUEST_TARGET, nil) && set(CURLOPT_COPYPOSTFIELDS, nil)
            && set(CURLOPT_CUSTOMREQUEST, nil) && set(CURLOPT_HTTPHEADER, pointer: nil) && set(CURLOPT_HTTPGET, 1)
    }

    /// Overwrites the URL of a redirect, which may contain an authorization code, because libcurl frees the URL without overwriting it.
    private func wipeRedirect() {
        var url: UnsafeMutablePointer<CChar>?
        guard unsafe identity_curl_get_string(easy, CURLINFO_REDIRECT_URL, &url) == CURLE_OK, let url = unsafe url
        else { return }
        unsafe url.update(repeating: 0, count: strlen(url))
    }

    private func setTrust(_ file: String?) -> Bool {
        guard let file else { return true }
        return set(CURLOPT_CAINFO, file) && set(CURLOPT_CAPATH, nil)
            && set(CURLOPT_PROXY_CAINFO, file) && set(CURLOPT_PROXY_CAPATH, nil)
    }

    private func setMethod(_ request: HTTPRequest) -> Bool {
        if request.method == .head { return set(CURLOPT_NOBODY, 1) }
        if request.body != nil || request.method == .post {
            guard setBody(request.body ?? []) else { return false }
            return request.method == .post || set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        }
        return request.method == .get || set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
    }

    private func setBody(_ body: [UInt8]) -> Bool {
        // The size comes first: without it libcurl copies the body only up to the first NUL byte.
        guard unsafe identity_curl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)) == CURLE_OK
        else { return false }
        return unsafe body.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, !body.isEmpty else { return set(CURLOPT_COPYPOSTFIELDS, "") }
            let text = unsafe start.assumingMemoryBound(to: CChar.self)
            return unsafe identity_curl_set_string(easy, CURLOPT_COPYPOSTFIELDS, text) == CURLE_OK
        }
    }

    func set(_ option: CURLoption, _ value: Int) -> Bool {
        unsafe identity_curl_set_long(easy, option, value) == CURLE_OK
    }

    // libcurl copies the text. These texts never contain a NUL.
    func set(_ option: CURLoption, _ value: String?) -> Bool {
        unsafe identity_curl_set_string(easy, option, value) == CURLE_OK
    }

    func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer?) -> Bool {
        unsafe identity_curl_set_pointer(easy, option, pointer) == CURLE_OK
    }

    /// A time in milliseconds, at most one day, and at least 1, because libcurl takes 0 as its default of five minutes.
    private static func milliseconds(_ duration: Duration) -> Int {
        Int(min(max(duration, .milliseconds(1)), .seconds(86_400)) / .milliseconds(1))
    }
}
