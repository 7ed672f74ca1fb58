package import IdentityHTTP
package import IdentityKit

/// How one provider's endpoints are called: limits, loopback rule and address policy in one place.
package struct ProviderHTTPClient: Sendable {
    package let environment: IdentityEnvironment
    package let timeout: Duration
    package let allowsLoopbackHTTP: Bool
    /// The origins that the operator configured: they may lie in a private network.
    private let configuredOrigins: [String]

    /// - Parameters:
    ///   - environment: Transport and clock.
    ///   - timeout: How long one exchange may take.
    ///   - allowsLoopbackHTTP: Permits plain http to 127.0.0.1 and [::1], and these addresses for every URL.
    ///   - configured: The URLs that the operator wrote down; their origins may lie anywhere.
    package init(
        environment: IdentityEnvironment,
        timeout: Duration,
        allowsLoopbackHTTP: Bool,
        configured: [HTTPURL?]
    ) {
        self.environment = environment
        self.timeout = timeout
        self.allowsLoopbackHTTP = allowsLoopbackHTTP
        configuredOrigins = configured.compactMap { $0?.origin }
    }

    /// Where a request may go: anywhere for an origin (RFC 6454) that the operator configured, to the public internet for a URL that
    /// a document or a redirect named.
    ///
    /// The origin and not the host: that an identity server at 10.0.0.5:8443 is trusted says nothing about what listens at
    /// 10.0.0.5:22.
    package func addressPolicy(for url: HTTPURL) -> AddressPolicy {
        if configuredOrigins.contains(where: { $0.isIdentical(to: url.origin) }) { return .any }
        return allowsLoopbackHTTP ? .publicOrLoopback : .publicOnly
    }

    /// Sends a request; a transport's failure becomes an `IdentityError` that names the party.
    ///
    /// Under a lock the request takes no longer than the lock is certainly held, and is not sent once it is lost.
    package func send(
        _ method: HTTPMethod,
        _ url: HTTPURL,
        headers: HTTPHeaders = HTTPHeaders(),
        body: [UInt8]? = nil,
        once isSentOnce: Bool = false,
        under hold: SessionHold? = nil,
        asking party: String
    ) async throws(IdentityError) -> HTTPResponse {
        let timeout = min(hold?.remaining ?? self.timeout, self.timeout)
        guard timeout > .zero else {
            let message = "\(url.origin): The session's lock was lost before the request was sent."
            throw IdentityError(
                HTTPTransportError(code: .sendingRefused, phase: .notSent, message: message),
                asking: party
            )
        }
        var limits = HTTPLimits()
        limits.totalTimeout = timeout
        limits.firstByteTimeout = timeout
        limits.connectTimeout = min(limits.connectTimeout, timeout)
        var headers = headers
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
        if let hold { request.maySend = { hold.isHeld } }
        do {
            return try await environment.transport.send(request)
        } catch {
            throw IdentityError(error, asking: party)
        }
    }

    /// Headers for a JSON answer.
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

    private static func unsendable(_ cause: any Error) -> IdentityError {
        IdentityError(
            .configuration,
            .configurationInvalid,
            "A configured value cannot stand in an HTTP header.",
            hint: "Line breaks and control characters are refused.",
            cause: cause
        )
    }
}
