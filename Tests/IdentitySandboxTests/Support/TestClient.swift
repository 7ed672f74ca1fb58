import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import StorefrontSandbox

@testable import IdentitySandbox

/// A client that sends raw HTTP requests as the providers' documentation describes them.
struct TestClient {
    static let shared = TestClient()
    let transport = Result { try CurlTransport() }
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    func send(
        _ method: HTTPMethod,
        _ url: String,
        headers: [String: String] = [:],
        body: String? = nil
    ) async throws -> HTTPResponse {
        let patient = HTTPLimits(firstByteTimeout: .seconds(60), totalTimeout: .seconds(60))
        var request = HTTPRequest(method: method, url: try HTTPURL(url), limits: patient, allowsLoopbackHTTP: true)
        for (name, value) in headers { try request.headers.set(name, value) }
        request.body = body.map { Array($0.utf8) }
        return try await transport.get().send(request)
    }

    func form(
        _ url: String,
        _ fields: [(name: String, value: String)],
        headers: [String: String] = [:]
    ) async throws -> (status: Int, json: JSONValue) {
        var all = ["Content-Type": "application/x-www-form-urlencoded", "User-Agent": "tests"]
        all.merge(headers) { $1 }
        let response = try await send(.post, url, headers: all, body: FormText.encode(fields))
        return (response.status, (try? JSONValue(parsing: response.body)) ?? .null)
    }

    func json(_ url: String) async throws -> JSONValue {
        try JSONValue(parsing: try await send(.get, url, headers: ["User-Agent": "tests"]).body)
    }

    func graphQL(
        _ url: String,
        _ query: String,
        _ variables: JSONObject = [:],
        headers: [String: String] = [:]
    ) async throws -> JSONValue {
        let body: JSONObject = ["query": .string(query), "variables": .object(variables)]
        var all = ["Content-Type": "application/json", "User-Agent": "tests"]
        all.merge(headers) { $1 }
        let text = String(decoding: JSONValue.object(body).serialized, as: UTF8.self)
        return try JSONValue(parsing: try await send(.post, url, headers: all, body: text).body)
    }

    static func query(_ url: String) -> [String: String] {
        let text = url.split(separator: "?", maxSplits: 1).last.map(String.init) ?? ""
        return (FormText.decode(Array(text.utf8)) ?? []).reduce(into: [:]) { $0[$1.name] = $1.value }
    }

    static func basic(_ id: String, _ secret: String) -> String {
        "Basic " + Base64.encode(Array("\(id):\(secret)".utf8))
    }

    static func part(_ index: Int, of token: String) -> JSONValue {
        let parts = token.split(separator: ".").map(String.init)
        guard parts.indices.contains(index), let bytes = Base64URL.decode(parts[index]) else { return .null }
        return (try? JSONValue(parsing: bytes)) ?? .null
    }
}

/// A login at the sandbox's Shopify, up to the tokens.
struct ShopifyLogin {
    let sandbox: ShopSandbox
    let client: SandboxShopifyClient
    var redirectURI = "http://127.0.0.1:9/callback"
    var scope = "openid email customer-account-api:full"
    var headers: [String: String] = [:]

    init(_ sandbox: ShopSandbox, _ client: SandboxShopifyClient = .confidential) {
        self.sandbox = sandbox
        self.client = client
        if let secret = client.secret { headers["Authorization"] = TestClient.basic(client.id, secret) }
        if client.kind == .publicWeb { headers["Origin"] = "https://app.example" }
    }

    var authorizationURL: String {
        let fields = [
            (name: "client_id", value: client.id), ("response_type", "code"), ("redirect_uri", redirectURI),
            ("scope", scope), ("state", "state-1"), ("nonce", "nonce-1"),
            ("code_challenge", TestClient.challenge), ("code_challenge_method", "S256"),
        ]
        return FormText.append(fields, to: sandbox.shopify.endpoints.authorization)
    }

    func code(_ buyer: SandboxBuyer = SandboxBuyer()) async throws -> String {
        let callback = try await buyer.login(at: authorizationURL, redirectURI: redirectURI)
        return TestClient.query(callback)["code"] ?? ""
    }

    func exchange(_ code: String) async throws -> (status: Int, json: JSONValue) {
        try await TestClient.shared.form(
            sandbox.shopify.endpoints.token,
            [
                ("grant_type", "authorization_code"), ("client_id", client.id), ("redirect_uri", redirectURI),
                ("code", code), ("code_verifier", TestClient.verifier),
            ],
            headers: headers
        )
    }

    func refresh(_ token: String?) async throws -> (status: Int, json: JSONValue) {
        try await TestClient.shared.form(
            sandbox.shopify.endpoints.token,
            [("grant_type", "refresh_token"), ("client_id", client.id), ("refresh_token", token ?? "")],
            headers: headers
        )
    }

    func tokens() async throws -> JSONValue {
        try await exchange(try await code()).json
    }
}
