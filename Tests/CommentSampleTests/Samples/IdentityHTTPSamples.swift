import IdentityHTTP

extension App {
    func copy(_ response: HTTPResponse, to reply: inout (status: Int, headers: [(String, String)])) {
        for (name, value) in response.headers { reply.headers.append((name, value)) }
    }

    func set(_ cookie: ResponseCookie, in headers: inout HTTPHeaders) throws {
        try headers.append("Set-Cookie", cookie.headerValue)
    }
}
