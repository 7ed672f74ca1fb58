import IdentityHTTP
import IdentityKit
import Synchronization

/// A transport that returns responses from a table and records the requested URLs, for hosts that a test must not call.
final class ScriptedTransport: HTTPTransport {
    private let answers: [String: HTTPResponse]
    private let asked = Mutex<[String]>([])

    /// Creates a transport with responses by URL without query; every other URL gets 404.
    init(_ answers: [String: HTTPResponse]) {
        self.answers = answers
    }

    var urls: [String] { asked.withLock { $0 } }

    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        let url = String(request.url.text.prefix { $0 != "?" })
        asked.withLock { $0.append(url) }
        return answers[url] ?? HTTPResponse(status: 404)
    }
}

extension HTTPResponse {
    static func json(_ object: JSONObject) -> HTTPResponse {
        HTTPResponse(status: 200, body: JSONValue.object(object).serialized)
    }

    static func redirect(to location: String) -> HTTPResponse {
        var headers = HTTPHeaders()
        try? headers.set("Location", location)
        return HTTPResponse(status: 301, headers: headers)
    }
}
