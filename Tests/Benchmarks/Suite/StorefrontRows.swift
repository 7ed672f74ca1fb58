internal import BenchmarkLogins
internal import Foundation
internal import IdentityHTTP
internal import IdentityKit
internal import IdentitySandbox
internal import ShopifyGraphQL
internal import ShopifyStorefront
internal import StorefrontSandbox
internal import Synchronization
internal import Yardsticks

enum StorefrontRows {
    static let all = [
        Row(
            name: "post",
            title: "A POST with a response of about 4 KB, 16 at the same time",
            peers: [
                Peer(
                    name: "libcurl in C",
                    work: .yardstick { unsafe yardstick_post($0.folder, Int32($0.port), 16, $0.seconds) }
                ),
                threadedPost,
                Peer(
                    name: "CurlTransport",
                    work: .operation(callers: 16) { context in
                        let transport = try CurlTransport()
                        let body = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(context.folder)/request.json")))
                        let url = try HTTPURL("http://127.0.0.1:\(context.port)/graphql")
                        var headers = HTTPHeaders()
                        try headers.set("Content-Type", "application/json")
                        let request = HTTPRequest(
                            method: .post,
                            url: url,
                            headers: headers,
                            body: body,
                            allowsLoopbackHTTP: true
                        )
                        return {
                            guard try await transport.send(request).status == 200 else {
                                throw BenchmarkFailure("A POST failed.")
                            }
                        }
                    },
                    isCounted: true
                ),
            ]
        ),
        Row(
            name: "cart-create",
            title: "cartCreate with seven lines into typed values, 16 at the same time",
            peers: [
                Peer(
                    name: "C",
                    work: .yardstick { unsafe yardstick_cart_create($0.folder, Int32($0.port), 16, $0.seconds) }
                ),
                threadedPost,
                Peer(
                    name: "StorefrontClient",
                    work: .operation(callers: 16) { context in
                        let endpoint = "http://127.0.0.1:\(context.port)/graphql"
                        let client = try client(endpoint, try CurlTransport())
                        return {
                            let cart = try await client.execute(creation(), in: place).data.cart
                            guard cart?.lines.count == lineCount else {
                                throw BenchmarkFailure("The response does not contain the seven lines.")
                            }
                        }
                    },
                    isCounted: true
                ),
            ]
        ),
        Row(
            name: "decode",
            title: "A page of products of 112 KB into typed values",
            peers: [
                Peer(
                    name: "JSONDecoder",
                    work: .operation(callers: 1) { _ in
                        let data = Data(SyntheticResponses.productPage)
                        return { _ = try JSONDecoder().decode(Envelope.self, from: data) }
                    }
                ),
                Peer(
                    name: "GraphQLNode",
                    work: .operation(callers: 1) { _ in
                        let bytes = SyntheticResponses.productPage
                        return {
                            _ = try GraphQLResponseBody(parsing: bytes).data.map {
                                node throws(GraphQLReadingError) in try BenchProductPage(node)
                            }
                        }
                    },
                    isCounted: true
                ),
            ]
        ),
    ]

    /// What the transport's design costs in C; the response to `cartCreate` is received but not decoded.
    private static let threadedPost = Peer(
        name: "libcurl on a thread, in C",
        work: .yardstick { unsafe yardstick_threaded_post($0.folder, Int32($0.port), 16, $0.seconds) }
    )

    private struct Envelope: Decodable {
        let data: BenchProductPage
    }

    private static let lineCount = 7
    private static let place = StorefrontContext(country: "US")

    private static func creation() -> CartCreate {
        // The lines have different attributes, because the shop would merge equal lines.
        let lines = (1...lineCount).map { number in
            CartLineInput(
                merchandiseID: "gid://shopify/ProductVariant/1",
                attributes: .set([CartAttribute(key: "number", value: "\(number)")])
            )
        }
        return CartCreate(
            lines: lines,
            buyerIdentity: .init(countryCode: .set("US"), email: .set("buyer@example.com"))
        )
    }

    private static func client(_ endpoint: String, _ transport: any HTTPTransport) throws -> StorefrontClient {
        StorefrontClient(
            configuration: try StorefrontConfiguration(
                shopDomain: "shop.example.com",
                authentication: .privateToken(Secret("token")),
                endpoint: HTTPURL(endpoint),
                allowsLoopbackHTTP: true
            ),
            environment: IdentityEnvironment(transport: transport)
        )
    }

    /// Writes a real request and the sandbox's response into the folder; the server of the benchmark returns this response.
    static func record(in folder: String) async throws {
        let sandbox = try await ShopSandbox.start()
        do {
            let recorder = Recorder(transport: try CurlTransport())
            let lab = sandbox.labConfiguration()
            let configuration = try IdentityConfiguration(
                json: lab.json.serialized,
                environmentVariables: lab.environment
            )
            guard let section = configuration.storefront else {
                throw BenchmarkFailure("The sandbox's configuration has no storefront.")
            }
            let client = StorefrontClient(
                configuration: try StorefrontConfiguration(section),
                environment: IdentityEnvironment(transport: recorder)
            )
            let cart = try await client.execute(creation(), in: place).data.cart
            guard cart?.lines.count == lineCount else {
                throw BenchmarkFailure("The sandbox's cart does not have seven lines.")
            }
            try recorder.write(to: folder)
        } catch {
            await sandbox.stop()
            throw error
        }
        await sandbox.stop()
    }

    private final class Recorder: HTTPTransport {
        private let transport: any HTTPTransport
        private let last = Mutex<(request: [UInt8], answer: [UInt8])>(([], []))

        init(transport: any HTTPTransport) { self.transport = transport }

        func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
            let response = try await transport.send(request)
            last.withLock { $0 = (request.body ?? [], response.body) }
            return response
        }

        func write(to folder: String) throws {
            let (request, answer) = last.withLock(\.self)
            try Data(request).write(to: URL(fileURLWithPath: "\(folder)/request.json"))
            try Data(answer).write(to: URL(fileURLWithPath: "\(folder)/cart.json"))
        }
    }
}
