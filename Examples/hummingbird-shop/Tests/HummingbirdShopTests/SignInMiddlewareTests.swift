import HTTPTypes
import Hummingbird
import IdentityKit
import IdentityTesting
import IdentityWeb
import Logging
import NIOCore
import Testing

@testable import hummingbird_shop

@Suite("Sign-in beside routes of Hummingbird's router")
struct SignInMiddlewareTests {
    struct AppContext: SignInRequestContext {
        var coreContext: CoreRequestContextStorage
        var remoteAddress: SocketAddress?
        var web: WebContext?

        init(source: ApplicationRequestContextSource) {
            coreContext = CoreRequestContextStorage(source: source)
            remoteAddress = source.channel.remoteAddress
        }
    }

    /// An app with a few routes; the body gets a function that sends a request and returns the response.
    private func withApp(
        _ body: (SignInRoutes, _ send: (WebRequest) async throws -> String) async throws -> Void
    ) async throws {
        let sessions = SessionManager(
            providers: try ProviderRegistry([]),
            store: InMemoryStore(),
            environment: IdentityEnvironment(transport: try CurlTransport())
        )
        let routes = try SignInRoutes(sessions: sessions, configuration: .init(publicOrigin: "http://127.0.0.1:1"))
        let router = Router(context: AppContext.self)
        router.add(middleware: SignInMiddleware(routes: routes))
        router.get("orders") { _, context in
            "orders of \(try await context.signIn.requireSession().buyer.subject)"
        }
        router.post("cart") { request, context in
            try context.signIn.refuseCSRF()
            _ = try await context.signIn.beginCartSession()
            let body = try await request.body.collect(upTo: 1_024)
            return try "\(context.signIn.request.formValue("line") ?? "none") in \(String(buffer: body))"
        }
        router.get("stream") { _, context in
            _ = try await context.signIn.session()
            return Response(
                status: .ok,
                body: ResponseBody { writer in
                    for part in ["in ", "parts"] { try await writer.write(ByteBuffer(string: part)) }
                    try await writer.finish(nil)
                }
            )
        }
        router.get("conflict") { _, context -> String in
            _ = try await context.signIn.beginCartSession()
            throw HTTPError(.conflict, message: "Sold out.")
        }
        router.post("upload") { request, _ in "\(try await request.body.collect(upTo: 1 << 20).readableBytes) bytes" }
        let server = try await StageServer.launch { onServerRunning in
            Application(
                router: router,
                configuration: .init(address: .hostname("127.0.0.1", port: 0)),
                onServerRunning: onServerRunning,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
        }
        do {
            try await body(routes) { request in
                var text = "\(request.method.rawValue) \(request.target) HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                for (name, value) in request.headers { text += "\(name): \(value)\r\n" }
                text += "Connection: close\r\nContent-Length: \(request.body.count)\r\n\r\n"
                return try await server.exchange(text + String(decoding: request.body, as: UTF8.self))
            }
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    @Test("a handler reads the session, and no cache may store its response")
    func session() async throws {
        try await withApp { routes, send in
            let answer = try await send(TestSignIn().request(to: routes, .get, "/orders"))
            #expect(answer.hasPrefix("HTTP/1.1 200") && answer.hasSuffix("orders of test-buyer"))
            #expect(answer.contains("Cache-Control: private, no-store") && answer.contains("Vary: Cookie"))
            var guest = WebRequest(method: .get, target: "/orders")
            try guest.headers.append("Accept", "application/json")
            #expect(try await send(guest).hasPrefix("HTTP/1.1 401"))
        }
    }

    @Test("the middleware handles the sign-in routes, and an unknown page keeps Hummingbird's response")
    func routes() async throws {
        try await withApp { routes, send in
            let state = try await send(WebRequest(method: .get, target: "/auth/session"))
            #expect(state.contains("\"signed_in\":false"))
            let missing = try await send(WebRequest(method: .get, target: "/nothing"))
            #expect(missing.hasPrefix("HTTP/1.1 404"))
        }
    }

    @Test("a form is read by the forged-request check and by the handler, and the handler's cookie arrives")
    func form() async throws {
        try await withApp { routes, send in
            let answer = try await send(TestSignIn().request(to: routes, .post, "/cart", form: [("line", "mug")]))
            #expect(answer.hasSuffix("mug in line=mug"))
            var guest = WebRequest(method: .post, target: "/cart", body: Array("line=mug".utf8))
            try guest.headers.append("Content-Type", "application/x-www-form-urlencoded")
            #expect(try await send(guest).hasPrefix("HTTP/1.1 403"))
            try guest.headers.append("Sec-Fetch-Site", "same-origin")
            #expect(try await send(guest).contains("Set-Cookie: identity-guest="))
        }
    }

    @Test("a streamed response stays streamed, and no cache may store it")
    func stream() async throws {
        try await withApp { routes, send in
            let answer = try await send(TestSignIn().request(to: routes, .get, "/stream"))
            #expect(answer.hasPrefix("HTTP/1.1 200") && answer.contains("Cache-Control: private, no-store"))
            #expect(answer.contains("in ") && answer.contains("parts"))
            #expect(!answer.lowercased().contains("content-length:"))
        }
    }

    @Test("the response to a handler's error has the cookies that the handler has set, and no cache may store it")
    func handlerError() async throws {
        try await withApp { _, send in
            let answer = try await send(WebRequest(method: .get, target: "/conflict"))
            #expect(answer.hasPrefix("HTTP/1.1 409") && answer.contains("Sold out."))
            #expect(answer.contains("Set-Cookie: identity-guest="))
            #expect(answer.contains("Cache-Control: private, no-store"))
        }
    }

    @Test("an upload above the size limit of forms reaches its handler")
    func upload() async throws {
        try await withApp { routes, send in
            var upload = WebRequest(method: .post, target: "/upload", body: Array(repeating: 0x61, count: 100_000))
            try upload.headers.append("Content-Type", "application/octet-stream")
            #expect(try await send(upload).hasSuffix("100000 bytes"))
            try upload.headers.set("Content-Type", "application/x-www-form-urlencoded")
            #expect(try await send(upload).hasPrefix("HTTP/1.1 413"))
        }
    }
}
