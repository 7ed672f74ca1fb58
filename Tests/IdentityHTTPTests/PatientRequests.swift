import IdentityHTTP

extension HTTPLimits {
    /// Two minutes for each step, because the machine may be busy.
    static let patient = HTTPLimits(
        connectTimeout: .seconds(120),
        firstByteTimeout: .seconds(120),
        totalTimeout: .seconds(120)
    )
}

extension HTTPRequest {
    /// A request with ``HTTPLimits/patient`` limits, also to a loopback server without TLS.
    static func patient(
        _ url: String,
        _ method: HTTPMethod = .get,
        headers: HTTPHeaders = HTTPHeaders(),
        body: [UInt8]? = nil
    ) throws -> HTTPRequest {
        HTTPRequest(
            method: method,
            url: try HTTPURL(url),
            headers: headers,
            body: body,
            limits: .patient,
            allowsLoopbackHTTP: true
        )
    }
}

func failure(_ transport: CurlTransport, _ request: HTTPRequest) async -> HTTPTransportError? {
    do throws(HTTPTransportError) {
        _ = try await transport.send(request)
        return nil
    } catch {
        return error
    }
}
