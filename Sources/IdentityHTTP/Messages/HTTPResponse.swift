/// One complete HTTP response.
///
/// Printing or dumping a response shows at most the status, the header names and the body's size.
public struct HTTPResponse: Sendable {
    /// The status code.
    public var status: Int
    /// The header fields in the order of arrival.
    public var headers: HTTPHeaders
    /// The body as it was received; content codings are not decoded.
    public var body: [UInt8]

    /// Creates a response; for authors of transports.
    public init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Whether the status is 429, or 500 or higher; after such a status, the server may accept the same request later.
    package var isOutage: Bool { Self.isOutage(status) }

    package static func isOutage(_ status: Int) -> Bool { status == 429 || status >= 500 }
}

extension HTTPResponse: Redacted {
    /// The status, the header names and the body's size.
    public var description: String {
        "\(status) \(headers) body: \(body.count) bytes"
    }
}
