package import IdentityHTTP

/// Sends requests to one provider, with the provider's time limit, rule for loopback addresses and address policy.
package struct ProviderHTTPClient: Sendable {
    package let environment: IdentityEnvironment
    package let timeout: Duration
    package let allowsLoopbackHTTP: Bool
    private let configured: [HTTPURL]

    /// Creates a client for a provider whose configuration contains the URLs `configured`; `timeout` limits one request.
    ///
    /// `allowsLoopbackHTTP` permits plain http to loopback addresses, and requests to loopback addresses whose URLs are not configured.
    package init(
        environment: IdentityEnvironment,
        timeout: Duration,
        allowsLoopbackHTTP: Bool,
        configured: [HTTPURL?]
    ) {
        self.environment = environment
        self.timeout = timeout
        self.allowsLoopbackHTTP = allowsLoopbackHTTP
        self.configured = configured.compactMap(\.self)
    }

    /// The addresses that a request may go to: any address for a configured origin (RFC 6454), otherwise only public addresses, and
    /// loopback addresses if ``allowsLoopbackHTTP`` is true.
    ///
    /// The rule compares origins and not hosts, because trust in 10.0.0.5:8443 does not extend to 10.0.0.5:22.
    package func addressPolicy(for url: HTTPURL) -> AddressPolicy {
        if configured.contains(where: url.hasOrigin(of:)) { return .any }
        return allowsLoopbackHTTP ? .publicOrLoopback : .publicOnly
    }

    /// Sends a request with the header `User-Agent`, and returns the response with any status.
    ///
    /// If `lock` is given, the request is not sent after the lock was lost, and must end while the lock is certainly held. With
    /// `isSentOnce`, the transport sends the request only once. `party` begins the error messages.
    package func send(
        _ method: HTTPMethod,
        _ url: HTTPURL,
        headers: consuming HTTPHeaders = HTTPHeaders(),
        body: [UInt8]? = nil,
        once isSentOnce: Bool = false,
        under lock: HeldLock? = nil,
        asking party: String
    ) async throws(IdentityError) -> HTTPResponse {
        let timeout = min(lock?.remaining ?? self.timeout, self.timeout)
        guard lock == nil || timeout > .zero else {
            let message = "\(url.origin): The session's lock may have been lost before the request was sent."
            throw IdentityError(
                HTTPTransportError(code: .sendingRefused, phase: .notSent, message: message),
                asking: party
            )
        }
        var limits = HTTPLimits()
        limits.totalTimeout = timeout
        limits.firstByteTimeout = timeout
        limits.connectTimeout = min(limits.connectTimeout, timeout)
        do {
            try headers.set("User-Agent", environment.userAgent)
        } catch {
            throw Self.unsendable(error)
        }
        var request = HTTPRequest(
            method: method,
            url: url,
            headers: headers,
            body: body,
            limits: limits,
            allowsLoopbackHTTP: allowsLoopbackHTTP,
            addressPolicy: addressPolicy(for: url)
        )
        request.isSentOnce = isSentOnce
        if let lock { request.maySend = { lock.isHeld } }
        do {
            return try await environment.transport.send(request)
        } catch {
            throw IdentityError(error, asking: party, at: url.host)
        }
    }

    package static func headers(
        accepting type: String = "application/json",
        _ others: [(name: String, value: String)] = []
    ) throws(IdentityError) -> HTTPHeaders {
        var headers = HTTPHeaders()
        do {
            try headers.set("Accept", type)
            for header in others { try headers.set(header.name, header.value) }
        } catch {
            throw unsendable(error)
        }
        return headers
    }

    private static func unsendable(_ cause: HTTPTransportError) -> IdentityError {
        IdentityError(
            configuration: "The request was not sent, because one of its headers is not valid. \(cause.message)",
            hint: """
                Correct the header's value in the provider's configuration, or userAgent of IdentityEnvironment. If the header carries a \
                token, tell the provider that it issued an invalid token.
                """,
            cause: cause
        )
    }
}
