internal import CIdentityCurl
internal import IdentityPlatform

extension CurlTransport {
    /// The trusted certificate authorities, the proxy, the user agent and the connection settings of a transport.
    public struct Configuration: Sendable {
        /// A PEM file of certificate authorities to trust **instead** of the system's, also for an https proxy; `nil` for the system's.
        public var certificateAuthorityFile: String?
        /// An HTTP proxy for all requests, except requests to loopback addresses; `nil`, the default, uses no proxy.
        ///
        /// Proxies that environment variables name are never used. With a proxy, the transport checks the proxy's address with the
        /// ``AddressPolicy`` of a request, because it connects to the proxy.
        public var proxy: HTTPURL?
        /// The `User-Agent` of requests that do not set this header.
        public var userAgent: String
        /// Whether HTTP/2 is offered to servers; the default is ``isHTTP2Reliable``.
        public var offersHTTP2: Bool
        /// The maximum number of connections; by default 256.
        ///
        /// Further requests wait for a free connection until they time out. With libcurl 8.9.1 or newer, a waiting request can time out as
        /// early as ``HTTPLimits/connectTimeout``.
        public var maximumConnections: Int
        /// The maximum number of connections to one host; by default 64.
        public var maximumConnectionsPerHost: Int
        /// The maximum idle time of a connection that may still be reused; 30 seconds by default, and at least one second.
        ///
        /// The default is shorter than the usual limit of servers, so that a request is rarely sent on a connection that the
        /// server is closing.
        public var idleTimeout: Duration

        /// Creates a configuration; every part has a default.
        public init(
            certificateAuthorityFile: String? = nil,
            proxy: HTTPURL? = nil,
            userAgent: String = UserAgent.standard,
            offersHTTP2: Bool = Configuration.isHTTP2Reliable,
            maximumConnections: Int = 256,
            maximumConnectionsPerHost: Int = 64,
            idleTimeout: Duration = .seconds(30)
        ) {
            self.certificateAuthorityFile = certificateAuthorityFile
            self.proxy = proxy
            self.userAgent = userAgent
            self.offersHTTP2 = offersHTTP2
            self.maximumConnections = maximumConnections
            self.maximumConnectionsPerHost = maximumConnectionsPerHost
            self.idleTimeout = idleTimeout
        }

        /// Whether the loaded libcurl is version 8.5 or newer, which handles the end of a busy HTTP/2 connection correctly.
        ///
        /// In versions before 8.4, all requests of a connection fail when the server sends GOAWAY, for example after 1,000 requests. The
        /// SDK then does not know whether the server has processed the requests and used up their one-time tokens. On an HTTP/1.1
        /// connection, at most one request can fail. Versions before 8.0 also reuse connections that the server has closed. The transport
        /// prevents this reuse only without HTTP/2. The limit is 8.5 and not 8.4 as a safety margin.
        public static let isHTTP2Reliable: Bool = {
            guard let information = unsafe identity_curl_version_info() else { return false }
            return unsafe information.pointee.version_num >= 0x08_05_00
        }()

        func check() throws(HTTPTransportError) {
            if let file = certificateAuthorityFile, unsafe file.utf8.contains(0) || access(file, R_OK) != 0 {
                throw .notSent(
                    .tlsFailed,
                    "The file of certificate authorities \(file.debugDescription) could not be read."
                )
            }
            guard userAgent.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }), userAgent.utf8.count <= 1024 else {
                throw .notSent(.invalidHeader, "The user agent contains a control character or is longer than 1 KiB.")
            }
        }
    }
}
