// The adapter between Hummingbird 2 and IdentityWeb. Copy this file into your app: Documentation/Using/Hummingbird.md.

internal import HTTPTypes
internal import Hummingbird
internal import IdentityWeb
internal import NIOCore

/// A request context that knows the client's address.
struct ClientContext: RemoteAddressRequestContext {
    var coreContext: CoreRequestContextStorage
    /// The address of the connection.
    ///
    /// Behind a proxy, set it to the address that your proxy reports, and never to a header that a client can write.
    var remoteAddress: SocketAddress?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        remoteAddress = source.channel.remoteAddress
    }
}

/// Handles all requests that no earlier middleware has handled.
struct WebMiddleware<Context: RemoteAddressRequestContext>: RouterMiddleware {
    let answer: @Sendable (WebRequest) async -> WebResponse

    func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var request = request
        return Response(await answer(try await WebRequest(&request, context)), to: request)
    }
}

extension WebRequest {
    /// The request; its body stays readable in the framework's request.
    ///
    /// - Throws: An error for a body that is larger than ``maximumBodyBytes``: Hummingbird turns it into a response with status 413.
    init(
        _ request: inout Request,
        _ context: some RemoteAddressRequestContext,
        readsBody: Bool = true
    ) async throws {
        var headers = HTTPHeaders()
        if let host = request.head.authority { try headers.append("Host", host) }
        for field in request.headers { try headers.append(field.name.rawName, field.value) }
        let body = readsBody ? try await request.collectBody(upTo: WebRequest.maximumBodyBytes) : ByteBuffer()
        self.init(
            method: HTTPMethod(rawValue: request.method.rawValue),
            target: request.head.path ?? "/",
            headers: headers,
            body: Array(body.readableBytesView),
            clientAddress: context.remoteAddress?.ipAddress
        )
    }
}

extension Response {
    /// The response to a request; a response to HEAD has no body.
    init(_ response: WebResponse, to request: Request) {
        let (fields, body) = (HTTPFields(response.headers), ResponseBody(byteBuffer: ByteBuffer(bytes: response.body)))
        let full = Response(status: .init(code: response.status), headers: fields, body: body)
        self = request.method == .head ? full.createHeadResponse() : full
    }
}

extension HTTPFields {
    /// The fields of a response.
    init(_ headers: HTTPHeaders) {
        self.init()
        for (name, value) in headers {
            if let name = HTTPField.Name(name) { append(HTTPField(name: name, value: value)) }
        }
    }
}
