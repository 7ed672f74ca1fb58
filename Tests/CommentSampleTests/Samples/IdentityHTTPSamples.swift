import IdentityHTTP

struct PrintingTransport: HTTPTransport {
    let inner: CurlTransport
    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        print("request to \(request.url.host)")
        return try await inner.send(request)
    }
}

extension App {
    func copy(_ response: HTTPResponse, to reply: inout (status: Int, headers: [(String, String)])) {
        for (name, value) in response.headers { reply.headers.append((name, value)) }
    }

    func set(_ cookie: ResponseCookie, in headers: inout HTTPHeaders) throws {
        try headers.append("Set-Cookie", cookie.headerValue)
    }

    func curlTransport() throws {
        var configuration = CurlTransport.Configuration()
        configuration.proxy = try HTTPURL("http://proxy.example:3128")
        let transport = try CurlTransport(configuration: configuration)
        _ = transport
    }
}
