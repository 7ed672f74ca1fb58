import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import TestGuides
import Testing

private enum ShopNameDocument: ProbeDocument {
    static let document = GraphQLDocument(name: "ShopName", kind: .query, text: "query ShopName { shop { name } }")
}

private typealias ShopName = Probe<ShopNameDocument>

@Suite struct ClientTests {
    private let good = #"{"data":{"shop":{"name":"Mugs"}}}"#

    private func failure(_ response: LoopbackResponse, _ operation: ShopName = ShopName()) async throws -> IdentityError
    {
        let storefront = try await FakeStorefront.start { _ in response }
        let client = try storefront.client()
        return try #require(
            await #expect(throws: IdentityError.self) { try await client.execute(operation) }
        )
    }

    /// The headers that the client sets, sorted.
    private func headers(
        _ authentication: StorefrontAuthentication,
        _ context: StorefrontContext
    ) async throws -> [String] {
        let storefront = try await FakeStorefront.start { [good] _ in .json(good) }
        let result = try await storefront.client(authentication).execute(ShopName(), in: context)
        #expect(result.data.name == "Mugs")
        let request = try #require(storefront.calls.first?.request)
        #expect(request.method == "POST" && request.path == "/api/2026-10/graphql.json")
        #expect(request.body == Array(#"{"query":"query ShopName { shop { name } }"}"#.utf8))
        let transport = ["host", "content-length", "connection", "expect", "accept-encoding"]
        return request.headers.filter { !transport.contains($0.name.lowercased()) }.map { "\($0.name): \($0.value)" }
            .sorted()
    }

    private let common = [
        "Accept: application/json", "Content-Type: application/json", "User-Agent: IdentityKit/0.1",
    ]

    @Test(
        "with a private token the request has exactly the expected headers, and the buyer's IP if it is known",
        .row("A2")
    )
    func privateHeaders() async throws {
        let context = StorefrontContext(buyerIP: "2001:db8::7")
        let own = ["Shopify-Storefront-Buyer-IP: 2001:db8::7", "Shopify-Storefront-Private-Token: shpat-1"]
        #expect(try await headers(.privateToken(Secret("shpat-1")), context) == (common + own).sorted())
        let withoutIP = try await headers(.privateToken(Secret("shpat-1")), StorefrontContext())
        #expect(withoutIP == (common + own.dropFirst()).sorted())
    }

    @Test("with a public token the request has exactly the expected headers, and never the buyer's IP", .row("A2"))
    func publicHeaders() async throws {
        let sent = try await headers(.publicToken("public-1"), StorefrontContext(buyerIP: "203.0.113.7"))
        #expect(sent == (common + ["X-Shopify-Storefront-Access-Token: public-1"]).sorted())
    }

    @Test("with tokenless access the request has exactly the expected headers, and never the buyer's IP", .row("A2"))
    func tokenlessHeaders() async throws {
        #expect(try await headers(.tokenless, StorefrontContext(buyerIP: "203.0.113.7")) == common)
    }

    @Test(
        "each supported version is part of the request's path",
        arguments: [StorefrontAPIVersion.v2026_01, .v2026_04, .v2026_07, .v2026_10]
    )
    func versions(version: StorefrontAPIVersion) async throws {
        let storefront = try await FakeStorefront.start { [good] _ in
            .json(good, [("X-Shopify-API-Version", version.rawValue)])
        }
        let environment = IdentityEnvironment(transport: try CurlTransport())
        let endpoint = try HTTPURL(storefront.endpoint).replacing(path: "/api/\(version)/graphql.json")
        let configuration = try StorefrontConfiguration(
            shopDomain: "shop.example",
            authentication: .tokenless,
            apiVersion: version,
            endpoint: endpoint,
            allowsLoopbackHTTP: true
        )
        let own = try StorefrontConfiguration(
            shopDomain: "shop.example",
            authentication: .tokenless,
            apiVersion: version
        )
        #expect(own.endpoint.path == "/api/\(version)/graphql.json")
        let client = StorefrontClient(configuration: configuration, environment: environment)
        let metadata = try await client.execute(ShopName()).metadata
        #expect(metadata.servedVersion == version && !metadata.isFallForward)
    }

    @Test(
        "text that is not an IP address never becomes a header",
        arguments: ["", "1.2.3.4, 5.6.7.8", "a\r\nX: y", "abc", "unknown"]
    )
    func wrongIP(address: String) async throws {
        let storefront = try await FakeStorefront.start { [good] _ in .json(good) }
        let client = try storefront.client()
        await #expect(throws: IdentityError.self) {
            try await client.execute(ShopName(), in: StorefrontContext(buyerIP: address))
        }
        #expect(storefront.calls.isEmpty)
    }

    @Test("request id, served version and deprecation are read from the response")
    func metadata() async throws {
        let headers = [
            ("X-Request-Id", "r-1"), ("X-Shopify-API-Version", "2026-01"),
            ("X-Shopify-API-Deprecated-Reason", "https://shopify.dev/x"),
        ]
        let storefront = try await FakeStorefront.start { [good] _ in .json(good, headers) }
        let metadata = try await storefront.client().execute(ShopName()).metadata
        #expect(metadata.requestID == "r-1")
        #expect(metadata.servedVersion == .v2026_01)
        #expect(metadata.deprecatedReason == "https://shopify.dev/x")
        #expect(metadata.status == 200)
    }

    @Test(
        "a response from another version and a deprecation are each reported once for each document",
        .row("B12")
    )
    func fallForward() async throws {
        let headers = [
            ("X-Shopify-API-Version", "2026-10"), ("X-Shopify-API-Deprecated-Reason", "https://shopify.dev/x"),
        ]
        let storefront = try await FakeStorefront.start { [good] _ in .json(good, headers) }
        let recorder = EventRecorder()
        let client = try storefront.client(version: .v2026_01, observers: [recorder])
        for _ in 0..<3 {
            let metadata = try await client.execute(ShopName()).metadata
            #expect(metadata.isFallForward && metadata.requestedVersion == .v2026_01)
        }
        _ = try await client.execute(Probe<Shared>())
        let told = recorder.events.filter { $0.kind != .finished(nil) }
        #expect(told.map(\.operation) == ["ShopName", "ShopName", "Shared", "Shared"])
        let kinds: [GraphQLEvent.Kind] = [.deprecated("https://shopify.dev/x"), .servedByAnotherVersion(.v2026_10)]
        #expect(told.map(\.kind) == kinds + kinds)
    }

    @Test("the cost is read if the API reports it")
    func cost() async throws {
        let text = #"""
            {"data":{"shop":{"name":"Mugs"}},"extensions":{"cost":{"requestedQueryCost":12,"actualQueryCost":7,
            "throttleStatus":{"maximumAvailable":1000.0,"currentlyAvailable":993,"restoreRate":50.0}}}}
            """#
        let storefront = try await FakeStorefront.start { _ in .json(text) }
        let cost = try await storefront.client().execute(ShopName()).metadata.cost
        #expect(
            cost?.requested == 12 && cost?.actual == 7 && cost?.currentlyAvailable == 993 && cost?.restoreRate == 50
        )
        let silent = try await FakeStorefront.start { [good] _ in .json(good) }
        #expect(try await silent.client().execute(ShopName()).metadata.cost == nil)
    }

    @Test("a response with both data and errors returns both", .row("A7"))
    func partialData() async throws {
        let text =
            #"{"data":{"shop":{"name":"Mugs"}},"errors":[{"message":"no","path":["shop",0,"x"],"locations":[{"line":1,"column":9}],"extensions":{"code":"ACCESS_DENIED","requiredAccess":["read","of shpat-private"]}}]}"#
        let storefront = try await FakeStorefront.start { _ in .json(text) }
        let result = try await storefront.client().execute(ShopName())
        #expect(result.data.name == "Mugs")
        let error = try #require(result.errors.first)
        #expect(error.path == ["shop", "0", "x"] && error.code == .accessDenied && error.message == "no")
        #expect(error.locations.map(\.column) == [9])
        #expect(error.extensions["requiredAccess"] == .array([.string("read"), .string("of …")]))
    }

    @Test("executePartial returns errors without data; execute throws them")
    func errorsAlone() async throws {
        let text = #"{"errors":[{"message":"Field 'x' doesn't exist","extensions":{"code":"undefinedField"}}]}"#
        let storefront = try await FakeStorefront.start { _ in .json(text) }
        let partial = try await storefront.client().executePartial(ShopName())
        #expect(partial.data == nil && partial.errors.first?.code?.rawValue == "undefinedField")
        let error = try await failure(.json(text))
        #expect(error.kind == .rejected && error.code == .graphQLErrors)
        #expect(error.providerResponse?.error == "undefinedField")
        let null = #"{"data":{"product":null},"errors":[{"message":"x","path":["product"]}]}"#
        let failed = try await FakeStorefront.start { _ in .json(null) }
        let product = try await failed.client().executePartial(ProductByID(id: "gid://shopify/Product/1"))
        #expect(product.data == nil && product.errors.count == 1)
    }

    @Test("errors are read as a string, as an object and as an array")
    func errorShapes() async throws {
        let text = try await failure(.json(#"{"errors":"Not Found"}"#, status: 400))
        #expect(text.providerResponse?.errorDescription == "Not Found")
        let object = try await failure(.json(#"{"errors":{"query":"Required parameter missing"}}"#, status: 400))
        #expect(object.providerResponse?.errorDescription == "Required parameter missing")
        let array = try await failure(.json(#"{"errors":[{"message":"a"},{"message":"b"}]}"#, status: 400))
        #expect(array.providerResponse?.errorDescription == "a")
        for error in [text, object, array] { #expect(error.kind == .rejected && error.providerResponse?.status == 400) }
    }

    @Test("an error THROTTLED in a response with status 200 has kind retryLater")
    func throttled() async throws {
        let error = try await failure(
            .json(#"{"data":null,"errors":[{"message":"Throttled","extensions":{"code":"THROTTLED"}}]}"#)
        )
        #expect(error.kind == .retryLater && error.code == .throttled)
    }

    @Test(
        "each HTTP status leads to its error kind and code",
        arguments: [
            (429, IdentityError.Kind.retryLater, IdentityError.Code.throttled),
            (430, .retryLater, .securityRejection), (500, .retryLater, .providerUnavailable),
            (503, .retryLater, .providerUnavailable), (401, .configuration, .storefrontRefused),
            (403, .configuration, .storefrontRefused), (402, .configuration, .storefrontRefused),
            (404, .configuration, .storefrontRefused), (423, .configuration, .storefrontRefused),
            (302, .configuration, .redirectRefused), (400, .rejected, .graphQLErrors),
        ]
    )
    func statuses(status: Int, kind: IdentityError.Kind, code: IdentityError.Code) async throws {
        let error = try await failure(
            .message(
                status: status,
                headers: [("Content-Type", "text/html"), ("Retry-After", "7")],
                body: Array("<h1>".utf8)
            )
        )
        #expect(error.kind == kind && error.code == code)
        #expect(error.providerResponse?.status == status)
        if status == 429 { #expect(error.retryAfter == .seconds(7)) }
        if (401...404).contains(status) { #expect(error.message.contains("the private token")) }
    }

    @Test(
        "a 200 that is not a GraphQL response is a typed error that shows nothing of the body",
        arguments: ["<html>canary</html>", "", "null", "[]", "{}", #"{"data":null}"#, #"{"data":{},"data":{}}"#]
    )
    func notGraphQL(body: String) async throws {
        let error = try await failure(
            .message(status: 200, headers: [("Content-Type", "text/html")], body: Array(body.utf8))
        )
        #expect(error.kind == (body.isEmpty || body.hasPrefix("<") ? .retryLater : .rejected))
        #expect(error.code == .unexpectedResponse)
        let shown = "\(error)" + (error.providerResponse?.errorDescription ?? "")
        #expect(shown.contains("canary") == false)
    }

    @Test("values of the request are removed from Shopify's messages")
    func echoedSecret() async throws {
        let canary = SecretCanary()
        let token = canary.plant("token")
        var (inner, operation) = (GraphQLInputObject(), ShopName())
        inner.set("b", [token])
        operation.variables.set("a", inner)
        let error = try await failure(.json(#"{"errors":[{"message":"\#(token) is bad, \#(token)!"}]}"#), operation)
        #expect(canary.findings(in: error).isEmpty)
        #expect(error.providerResponse?.errorDescription == "… is bad, …!")
    }

    @Test("with one permitted attempt, a broken connection is an error of kind retryLater")
    func brokenConnection() async throws {
        let error = try await failure(.script([.reset]))
        #expect(error.kind == .retryLater && error.code == .providerUnavailable)
    }

    @Test("a cancelled task ends the call", .row("A3"))
    func cancellation() async throws {
        let storefront = try await FakeStorefront.start { _ in
            try? await Task.sleep(for: .seconds(30))
            return .message(status: 200)
        }
        let client = try storefront.client()
        let task = Task { try await client.execute(ShopName()) }
        while storefront.calls.isEmpty { await Task.yield() }
        task.cancel()
        let error = await #expect(throws: IdentityError.self) { try await task.value }
        #expect(error?.kind == .cancelled)
    }
}
