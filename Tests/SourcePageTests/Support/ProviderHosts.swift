import IdentityHTTP
import IdentityKit
import Synchronization

/// Sends requests for the providers' own hosts to the sandbox, so that a test can use the URLs of the pages as they are.
final class ProviderHosts: HTTPTransport {
    private let origins: [(real: String, sandbox: String)]
    private let transport: CurlTransport
    private let sent = Mutex<[String]>([])

    /// The URLs that were requested, without queries.
    var requestedURLs: [String] { sent.withLock { $0 } }

    init(_ origins: [(real: String, sandbox: String)]) throws {
        self.origins = origins
        transport = try CurlTransport()
    }

    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        sent.withLock { $0.append(request.url.origin + request.url.path) }
        guard let origin = origins.first(where: { $0.real == request.url.origin }),
            let url = try? HTTPURL(origin.sandbox + request.url.text.dropFirst(origin.real.count))
        else {
            throw HTTPTransportError(code: .resolutionFailed, phase: .notSent, message: "This test has no such host.")
        }
        var request = request
        request.url = url
        request.allowsLoopbackHTTP = true
        request.addressPolicy = .any
        var response = try await transport.send(request)
        response.body = Array(real(String(decoding: response.body, as: UTF8.self)).utf8)
        if let location = response.headers["Location"] { try response.headers.set("Location", real(location)) }
        return response
    }

    /// A text in which the sandbox's origins are replaced by the providers' own.
    private func real(_ text: String) -> String {
        origins.reduce(text) { $0.replacing($1.sandbox, with: $1.real) }
    }
}
