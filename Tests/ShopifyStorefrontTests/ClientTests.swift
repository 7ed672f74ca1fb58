import IdentityHTTP
import IdentityKit
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import Testing

/// A query of a user's own.
private struct ShopName: GraphQLOperation {
    static let document = GraphQLDocument(name: "ShopName", kind: .query, text: "query ShopName { shop { name } }")
    var variables = GraphQLInputObject()

    struct Output: GraphQLReadable {
        let name: String

        init(_ node: GraphQLNode) throws(GraphQLReadingError) {
            name = try node.field("shop", as: Shop.self).name
        }
    }

    struct Shop: GraphQLReadable {
        let name: String

        init(_ node: GraphQLNode) throws(GraphQLReadingError) {
            name = try node.field("name")
        }
    }
}

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

    @Test("a private token and the buyer's IP travel in their headers")
    func privateHeaders() async throws {
        let storefront = try await FakeStorefront.start { [good] _ in .json(good) }
        let client = try storefront.client(.privateToken(Secret("shpat-1")))
        let result = try await client.execute(ShopName(), in: StorefrontContext(buyerIP: "2001:db8::7"))
        #expect(result.data.name == "Mugs")
        let request = try #require(storefront.calls.first?.request)
        #expect(request.method == "POST" && request.path == "/api/2026-10/graphql.json")
        let headers = Dictionary(request.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { $0 + "," + $1 })
        #expect(headers["Shopify-Storefront-Private-Token"] == "shpat-1")
        #expect(headers["Shopify-Storefront-Buyer-IP"] == "2001:db8::7")
        #expect(headers["Content-Type"] == "application/json")
        #expect(headers["Accept"] == "application/json")
        #expect(headers["User-Agent"]?.hasPrefix("IdentityKit/") == true)
        #expect(headers["X-Shopify-Storefront-Access-Token"] == nil)
        #expect(request.body == Array(#"{"query":"query ShopName { shop { name } }"}"#.utf8))
    }

    @Test("a public token has a header of its own and tells no IP; tokenless access sends neither")
    func otherHeaders() async throws {
        let storefront = try await FakeStorefront.start { [good] _ in .json(good) }
        let context = StorefrontContext(buyerIP: "203.0.113.7")
        _ = try await storefront.client(.publicToken("public-1")).execute(ShopName(), in: context)
        _ = try await storefront.client(.tokenless).execute(ShopName(), in: context)
        let requests = storefront.calls.map(\.request)
        #expect(requests[0].header("X-Shopify-Storefront-Access-Token") == "public-1")
        for request in requests {
            #expect(request.header("Shopify-Storefront-Buyer-IP") == nil)
            #expect(request.header("Shopify-Storefront-Private-Token") == nil)
        }
        #expect(requests[1].header("X-Shopify-Storefront-Access-Token") == nil)
    }

    @Test(
        "what is no IP address never becomes a header",
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

    @Test("request id, served version and deprecation are read back")
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

    @Test("data with errors beside them are both returned")
    func partialData() async throws {
        let text =
            #"{"data":{"shop":{"name":"Mugs"}},"errors":[{"message":"no","path":["shop",0,"x"],"locations":[{"line":1,"column":9}],"extensions":{"code":"ACCESS_DENIED"}}]}"#
        let storefront = try await FakeStorefront.start { _ in .json(text) }
        let result = try await storefront.client().execute(ShopName())
        #expect(result.data.name == "Mugs")
        let error = try #require(result.errors.first)
        #expect(error.path == ["shop", "0", "x"] && error.code == .accessDenied && error.message == "no")
        #expect(error.locations.map(\.column) == [9])
    }

    @Test("executePartial returns errors without data; execute throws them")
    func errorsAlone() async throws {
        let text = #"{"errors":[{"message":"Field 'x' doesn't exist","extensions":{"code":"undefinedField"}}]}"#
        let storefront = try await FakeStorefront.start { _ in .json(text) }
        let partial = try await storefront.client().executePartial(ShopName())
        #expect(partial.data == nil && partial.errors.first?.code?.rawValue == "undefinedField")
        let error = try await failure(.json(text))
        #expect(error.kind == .rejected && error.code == .graphQLErrors)
        #expect(error.providerAnswer?.error == "undefinedField")
    }

    @Test("errors as a string, as an object and as an array are understood")
    func errorShapes() async throws {
        let text = try await failure(.json(#"{"errors":"Not Found"}"#, status: 400))
        #expect(text.providerAnswer?.errorDescription == "Not Found")
        let object = try await failure(.json(#"{"errors":{"query":"Required parameter missing"}}"#, status: 400))
        #expect(object.providerAnswer?.errorDescription == "Required parameter missing")
        let array = try await failure(.json(#"{"errors":[{"message":"a"},{"message":"b"}]}"#, status: 400))
        #expect(array.providerAnswer?.errorDescription == "a")
        for error in [text, object, array] { #expect(error.kind == .rejected && error.providerAnswer?.status == 400) }
    }

    @Test("THROTTLED in a 200 is to be tried again later")
    func throttled() async throws {
        let error = try await failure(
            .json(#"{"data":null,"errors":[{"message":"Throttled","extensions":{"code":"THROTTLED"}}]}"#)
        )
        #expect(error.kind == .retryLater && error.code == .throttled)
    }

    @Test(
        "each status has its meaning",
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
        #expect(error.providerAnswer?.status == status)
        if status == 429 { #expect(error.retryAfter == .seconds(7)) }
        if (401...404).contains(status) { #expect(error.message.contains("the private token")) }
    }

    @Test(
        "a 200 that is no GraphQL answer is a typed error that shows nothing of the body",
        arguments: ["<html>canary</html>", "", "null", "[]", "{}", #"{"data":null}"#, #"{"data":{},"data":{}}"#]
    )
    func notGraphQL(body: String) async throws {
        let error = try await failure(
            .message(status: 200, headers: [("Content-Type", "text/html")], body: Array(body.utf8))
        )
        #expect(error.kind == (body.isEmpty || body.hasPrefix("<") ? .retryLater : .rejected))
        #expect(error.code == .unexpectedResponse)
        let shown = "\(error)" + (error.providerAnswer?.errorDescription ?? "")
        #expect(shown.contains("canary") == false)
    }

    @Test("what the request held is cut out of Shopify's messages")
    func echoedSecret() async throws {
        let canary = SecretCanary()
        let token = canary.plant("token")
        var (inner, operation) = (GraphQLInputObject(), ShopName())
        inner.set("b", [token])
        operation.variables.set("a", inner)
        let error = try await failure(.json(#"{"errors":[{"message":"\#(token) is bad, \#(token)!"}]}"#), operation)
        #expect(canary.findings(in: error).isEmpty)
        #expect(error.providerAnswer?.errorDescription == "… is bad, …!")
    }

    @Test("a connection that breaks is to be tried again later, and is not repeated by itself")
    func brokenConnection() async throws {
        let error = try await failure(.script([.reset]))
        #expect(error.kind == .retryLater && error.code == .providerUnavailable)
    }

    @Test("a cancelled task ends the call")
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
