package import IdentityHTTP
package import IdentityKit

/// How one provider's endpoints are called: limits, loopback rule and address policy in one place.
package struct ProviderChannel: Sendable {
    package let environment: IdentityEnvironment
    package let timeout: Duration
    package let allowsLoopbackHTTP: Bool
    /// The hosts that the operator configured; addresses that a document names may lead to the public internet only.
    package let configuredHosts: [String]

    package init(
        environment: IdentityEnvironment,
        timeout: Duration,
        allowsLoopbackHTTP: Bool,
        configuredHosts: [String]
    ) {
        self.environment = environment
        self.timeout = timeout
        self.allowsLoopbackHTTP = allowsLoopbackHTTP
        self.configuredHosts = configuredHosts
    }

    /// Sends a request; a transport's failure becomes an `IdentityError` that names the party.
    package func send(
        _ method: HTTPMethod,
        _ url: HTTPURL,
        headers: HTTPHeaders = HTTPHeaders(),
        body: [UInt8]? = nil,
        once isSentOnce: Bool = false,
        asking party: String
    ) async throws(IdentityError) -> HTTPResponse {
        var limits = HTTPLimits()
        limits.totalTimeout = timeout
        limits.firstByteTimeout = timeout
        limits.connectTimeout = min(limits.connectTimeout, timeout)
        let isConfigured = allowsLoopbackHTTP || configuredHosts.contains { $0.isIdentical(to: url.host) }
        var request = HTTPRequest(
            method: method,
            url: url,
            headers: headers,
            body: body,
            limits: limits,
            allowsLoopbackHTTP: allowsLoopbackHTTP,
            addressPolicy: isConfigured ? .any : .publicOnly
        )
        request.isSentOnce = isSentOnce
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
            throw IdentityError(
                .configuration,
                .configurationInvalid,
                "A configured value cannot stand in an HTTP header.",
                hint: "Line breaks and control characters are refused.",
                cause: error
            )
        }
        return headers
    }
}
