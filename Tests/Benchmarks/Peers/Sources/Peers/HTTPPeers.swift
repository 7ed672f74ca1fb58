import AsyncHTTPClient
import Foundation
import NIOCore

/// Whole logins and Storefront requests with AsyncHTTPClient, jwt-kit and Codable, 16 at the same time.
enum HTTPPeers {
    static let all = [
        Peer(row: "login", name: "AsyncHTTPClient, jwt-kit", callers: callers) { context in
            let client = client(connections: callers)
            let keys = try await TokenPeers.keys(of: context)
            let origin = "http://127.0.0.1:\(context.port)"
            return {
                let request = try AuthorizationRequest(endpoint: "\(origin)/authorize")
                let redirect = try await client.execute(
                    HTTPClientRequest(url: request.url.absoluteString),
                    timeout: .seconds(5)
                )
                _ = try await redirect.body.collect(upTo: 1 << 16)
                guard let location = redirect.headers.first(name: "Location"),
                    let items = URLComponents(string: location)?.queryItems,
                    items.first(where: { $0.name == "state" })?.value == request.state,
                    let code = items.first(where: { $0.name == "code" })?.value
                else { throw PeerFailure("The provider did not return the redirect.") }
                var form = URLComponents()
                form.queryItems = [
                    URLQueryItem(name: "grant_type", value: "authorization_code"),
                    URLQueryItem(name: "code", value: code),
                    URLQueryItem(name: "redirect_uri", value: "https://shop.example.com/auth/callback"),
                    URLQueryItem(name: "client_id", value: "benchmark-client"),
                    URLQueryItem(name: "code_verifier", value: request.verifier),
                ]
                let body = try await post(
                    "\(origin)/token",
                    "application/x-www-form-urlencoded",
                    Data((form.percentEncodedQuery ?? "").utf8),
                    client
                )
                let tokens = try JSONDecoder().decode(TokenResponse.self, from: body)
                let claims = try await keys.verify(tokens.id_token, as: IDTokenClaims.self)
                guard claims.nonce == request.nonce else { throw PeerFailure("The ID token has another nonce.") }
            }
        },
        Peer(row: "post", name: "AsyncHTTPClient", callers: callers) { context in
            let client = client(connections: callers)
            let body = try Data(contentsOf: URL(fileURLWithPath: "\(context.folder)/request.json"))
            let address = "http://127.0.0.1:\(context.port)/graphql"
            return { _ = try await post(address, "application/json", body, client) }
        },
        Peer(row: "cart-create", name: "AsyncHTTPClient, Codable", callers: callers) { context in
            let client = client(connections: callers)
            let recorded = try Data(contentsOf: URL(fileURLWithPath: "\(context.folder)/request.json"))
            let query = try JSONDecoder().decode(CartCreateRequest.Document.self, from: recorded).query
            let address = "http://127.0.0.1:\(context.port)/graphql"
            return {
                let request = try JSONEncoder().encode(CartCreateRequest(query: query))
                let answer = try await post(address, "application/json", request, client)
                let cart = try JSONDecoder().decode(CartCreateResponse.self, from: answer).data.cartCreate.cart
                guard cart.lines.nodes.count == 7 else {
                    throw PeerFailure("The response does not contain the seven lines.")
                }
            }
        },
    ]

    private static let callers = 16

    static func client(connections: Int) -> HTTPClient {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    private static func post(_ url: String, _ type: String, _ body: Data, _ client: HTTPClient) async throws -> Data {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: type)
        request.body = .bytes(ByteBuffer(bytes: body))
        let response = try await client.execute(request, timeout: .seconds(5))
        guard response.status == .ok else { throw PeerFailure("The response has status \(response.status).") }
        return Data(try await response.body.collect(upTo: 1 << 20).readableBytesView)
    }
}

private struct TokenResponse: Decodable {
    let access_token: String
    let refresh_token: String
    let expires_in: Int
    let id_token: String
}
