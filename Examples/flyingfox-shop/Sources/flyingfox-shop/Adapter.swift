// The adapter between FlyingFox and IdentityWeb. Copy this file into your app: Documentation/Using/FlyingFox.md.

internal import FlyingFox
internal import Foundation
internal import IdentityHTTP
internal import IdentityWeb

/// Handles all requests of a server.
struct WebHandler: HTTPHandler {
    let answer: @Sendable (WebRequest) async -> WebResponse

    func handleRequest(_ request: FlyingFox.HTTPRequest) async throws -> FlyingFox.HTTPResponse {
        guard let webRequest = try await WebRequest(request) else { return .init(statusCode: .payloadTooLarge) }
        return FlyingFox.HTTPResponse(await answer(webRequest), to: request)
    }
}

extension WebRequest {
    /// The request; nil if its body is larger than ``WebRequest/maximumBodyBytes``.
    ///
    /// - Throws: An error when the connection is lost, or a header field is malformed.
    init?(_ request: FlyingFox.HTTPRequest) async throws {
        var headers = IdentityHTTP.HTTPHeaders()
        for (name, value) in request.headers { try headers.append(name.rawValue, value) }
        var (body, count): ([UInt8], Int) = ([], 0)
        for try await part in request.bodySequence {
            count += part.count
            // A body that is too large is read to its end. Otherwise FlyingFox would read its remaining bytes as the next request.
            if count <= WebRequest.maximumBodyBytes { body += part }
        }
        guard count <= WebRequest.maximumBodyBytes else { return nil }
        // `remoteIPAddress` can come from an X-Forwarded-For of the client. Behind a proxy, use the address that your proxy reports.
        let address: String? =
            switch request.remoteAddress {
            case .ip4(let address, _), .ip6(let address, _): address
            case .unix, nil: nil
            }
        self.init(
            method: IdentityHTTP.HTTPMethod(rawValue: request.method.rawValue),
            target: request.target.rawValue,
            headers: headers,
            body: body,
            clientAddress: address
        )
    }
}

extension FlyingFox.HTTPResponse {
    /// The response to a request; a response to HEAD has the `Content-Length` of the body, and no body.
    init(_ response: WebResponse, to request: FlyingFox.HTTPRequest) {
        var fields = FlyingFox.HTTPHeaders()
        for (name, value) in response.headers { fields.addValue(value, for: HTTPHeader(name)) }
        fields[.contentLength] = String(response.body.count)
        let body = request.method == .HEAD ? Data() : Data(response.body)
        self.init(statusCode: HTTPStatusCode(response.status, phrase: ""), headers: fields, body: body)
    }
}
