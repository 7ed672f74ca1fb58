import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import TestGuides
import Testing

struct BadResponse: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let response: LoopbackResponse
    let kind: IdentityError.Kind
    let code: IdentityError.Code
    /// How often a query is sent, and how often a mutation that adds something is sent; at most three attempts are permitted.
    let sent: (query: Int, addition: Int)
    /// The error code of the mutation if it differs from the query's.
    var additionCode: IdentityError.Code?

    static let requestID = [("X-Request-Id", "req-1"), ("Content-Type", "application/json; charset=utf-8")]

    init(
        _ name: String,
        _ response: LoopbackResponse,
        _ kind: IdentityError.Kind,
        _ code: IdentityError.Code,
        _ query: Int,
        _ addition: Int,
        unknown: Bool = false
    ) {
        testDescription = name
        self.response = response
        self.kind = kind
        self.code = code
        sent = (query, addition)
        additionCode = unknown ? .outcomeUnknown : nil
    }

    private static func body(_ text: String, status: Int = 200, _ headers: [(String, String)] = []) -> LoopbackResponse
    {
        .message(status: status, headers: requestID + headers, body: Array(text.utf8))
    }

    static let all: [BadResponse] = [
        .init("HTML in a 200", body("<html>canary</html>"), .retryLater, .unexpectedResponse, 3, 1, unknown: true),
        .init("nothing in a 200", body(""), .retryLater, .unexpectedResponse, 3, 1, unknown: true),
        .init("spaces in a 200", body(" \n "), .retryLater, .unexpectedResponse, 3, 1, unknown: true),
        .init("text in a 200", body("Too busy"), .rejected, .unexpectedResponse, 3, 1, unknown: true),
        .init("half a response", body(#"{"data":{"shop":{"na"#), .rejected, .unexpectedResponse, 3, 1, unknown: true),
        .init("a member twice", body(#"{"data":{},"data":{}}"#), .rejected, .unexpectedResponse, 3, 1, unknown: true),
        .init("neither data nor errors", body("{}"), .rejected, .unexpectedResponse, 3, 1, unknown: true),
        .init("null", body("null"), .rejected, .unexpectedResponse, 3, 1, unknown: true),
        .init("a list", body("[1]"), .rejected, .unexpectedResponse, 3, 1, unknown: true),
        .init(
            "no UTF-8",
            .message(status: 200, headers: requestID, body: [0x7B, 0x22, 0xFF, 0xFE, 0x22, 0x7D]),
            .rejected,
            .unexpectedResponse,
            3,
            1,
            unknown: true
        ),
        .init(
            "too deep",
            body(#"{"data":"# + String(repeating: "[", count: 100_000)),
            .rejected,
            .unexpectedResponse,
            3,
            1,
            unknown: true
        ),
        .init("data of a wrong type", body(#"{"data":7}"#), .rejected, .unexpectedResponse, 1, 1, unknown: true),
        .init("a missing field", body(#"{"data":{"shop":{}}}"#), .rejected, .unexpectedResponse, 1, 1, unknown: true),
        .init(
            "a field of a wrong type",
            body(#"{"data":{"shop":{"name":7}}}"#),
            .rejected,
            .unexpectedResponse,
            1,
            1,
            unknown: true
        ),
        .init("errors as a string", body(#"{"errors":"No"}"#), .rejected, .graphQLErrors, 1, 1),
        .init("errors as an object", body(#"{"errors":{"query":"No"}}"#), .rejected, .graphQLErrors, 1, 1),
        .init("errors as a number", body(#"{"errors":7}"#), .rejected, .graphQLErrors, 1, 1),
        .init(
            "an empty list of errors",
            body(#"{"data":null,"errors":[]}"#),
            .rejected,
            .unexpectedResponse,
            3,
            1,
            unknown: true
        ),
        .init(
            "errors beside data that cannot be read",
            body(#"{"data":{"shop":null},"errors":[{"message":"No","path":["shop"]}]}"#),
            .rejected,
            .graphQLErrors,
            1,
            1
        ),
        .init(
            "throttled, with a null field",
            body(#"{"data":{"shop":null},"errors":[{"message":"T","extensions":{"code":"THROTTLED"}}]}"#),
            .retryLater,
            .throttled,
            3,
            3
        ),
        .init(
            "an internal error",
            body(#"{"errors":[{"message":"I","extensions":{"code":"INTERNAL_SERVER_ERROR"}}]}"#),
            .retryLater,
            .providerUnavailable,
            3,
            1,
            unknown: true
        ),
        .init(
            "access denied",
            body(#"{"errors":[{"message":"A","extensions":{"code":"ACCESS_DENIED"}}]}"#),
            .configuration,
            .storefrontRefused,
            1,
            1
        ),
        .init("402", body("", status: 402), .configuration, .storefrontRefused, 1, 1),
        .init("401 with errors", body(#"{"errors":"x"}"#, status: 401), .configuration, .storefrontRefused, 1, 1),
        .init("403", body("<html>", status: 403), .configuration, .storefrontRefused, 1, 1),
        .init("423", body("", status: 423), .configuration, .storefrontRefused, 1, 1),
        .init("429 without Retry-After", body("", status: 429), .retryLater, .throttled, 3, 3),
        .init("429, Retry-After 1", body("", status: 429, [("Retry-After", "1")]), .retryLater, .throttled, 3, 3),
        .init(
            "429 with a long Retry-After",
            body("", status: 429, [("Retry-After", "900")]),
            .retryLater,
            .throttled,
            1,
            1
        ),
        .init("430", body("<html>", status: 430), .retryLater, .securityRejection, 2, 2),
        .init("500", body("<html>", status: 500), .retryLater, .providerUnavailable, 3, 1, unknown: true),
        .init("503", body("", status: 503), .retryLater, .providerUnavailable, 3, 1, unknown: true),
        .init("a redirect", body("", status: 302, [("Location", "/x")]), .configuration, .redirectRefused, 1, 1),
        .init("a closed connection", .script([.close]), .retryLater, .providerUnavailable, 3, 1, unknown: true),
        .init("a broken connection", .script([.reset]), .retryLater, .providerUnavailable, 3, 1, unknown: true),
        .init(
            "a response that ends too early",
            .script([.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"data\"".utf8)), .close]),
            .retryLater,
            .providerUnavailable,
            3,
            1,
            unknown: true
        ),
        .init(
            "no HTTP",
            .script([.send(Array("GARBAGE\r\n\r\n".utf8)), .close]),
            .rejected,
            .unexpectedResponse,
            3,
            1,
            unknown: true
        ),
    ]
}

@Suite struct BadResponseTests {
    private func failure<Document: ProbeDocument>(
        _ document: Document.Type,
        _ answer: BadResponse
    ) async throws -> (error: IdentityError, sent: Int) {
        let storefront = try await FakeStorefront.start([answer.response])
        let clock = ManualClock(isAdvancedBySleeping: true)
        let client = try storefront.client(clock: clock, retry: .standard)
        let error = try #require(
            await #expect(throws: IdentityError.self) { try await client.execute(Probe<Document>()) }
        )
        return (error, storefront.calls.count)
    }

    @Test(
        "each invalid response becomes a typed error with the request's id, and no request is sent more often than permitted",
        .row("A7"),
        arguments: BadResponse.all
    )
    func badResponse(answer: BadResponse) async throws {
        let query = try await failure(Shared.self, answer)
        #expect(query.error.kind == answer.kind && query.error.code == answer.code)
        #expect(query.sent == answer.sent.query)
        let addition = try await failure(Adds.self, answer)
        #expect(addition.error.code == answer.additionCode ?? answer.code)
        #expect(addition.sent == answer.sent.addition)
        for error in [query.error, addition.error] where error.providerResponse?.status != nil {
            #expect(error.providerResponse?.traceID == "req-1")
            #expect(!"\(error) \(String(reflecting: error))".contains("canary"))
        }
    }

    @Test(
        "the error for a response that is not GraphQL says why, and advises to try again only if the shop may be unavailable",
        arguments: [
            ("<html>", "unexpected character", true), ("", "the text ends where a value is expected", true),
            ("{}", "it contains neither data nor errors", false),
            (#"{"data":null}"#, "it contains neither data nor errors", false),
            (#"{"data":{},"data":{}}"#, "duplicate member name", false),
            ("[1]", "the response is not a JSON object", false),
        ]
    )
    func unreadable(body: String, reason: String, isOutage: Bool) async throws {
        let storefront = try await FakeStorefront.start([.message(status: 200, body: Array(body.utf8))])
        let client = try storefront.client(clock: ManualClock(isAdvancedBySleeping: true), retry: .none)
        let error = await #expect(throws: IdentityError.self) { try await client.execute(Probe<Shared>()) }
        #expect(error?.message.hasSuffix(": \(reason).") == true)
        #expect(error?.hint?.hasPrefix("Try again later.") == isOutage)
    }

    @Test("a response that is too large is an error with the cause bodyTooLarge")
    func tooLarge() async throws {
        let body = Array(#"{"data":{"shop":{"name":"\#(String(repeating: "x", count: 9 << 20))"}}}"#.utf8)
        let storefront = try await FakeStorefront.start([.message(status: 200, body: body)])
        let error = await #expect(throws: IdentityError.self) {
            try await storefront.client().execute(Probe<Shared>())
        }
        #expect(error?.kind == .rejected && error?.code == .unexpectedResponse)
        #expect((error?.cause as? HTTPTransportError)?.code == .bodyTooLarge)
    }

    @Test("no token, no cart key and no checkout URL shows in errors, events and results, even if Shopify repeats it")
    func secrets() async throws {
        let canary = SecretCanary()
        let token = canary.plant("token")
        let key = canary.plant("key")
        let checkout = canary.plant("checkout")
        let address = "2001:db8::cafe:4711"
        let id = try #require(CartID(rawValue: "gid://shopify/Cart/c1?key=\(key)"))
        let echo = "\(token) gid://shopify/Cart/c1?key=\(key) \(key) \(address)"
        let recorder = EventRecorder()
        let text = #"{"errors":[{"message":"\#(echo)","path":["\#(key)"],"extensions":{"code":"\#(token)"}}]}"#
        let headers = [
            ("X-Request-Id", token), ("X-Shopify-API-Version", key), ("X-Shopify-API-Deprecated-Reason", echo),
            ("Content-Type", echo),
        ]
        let cart = String.cart(id: id.rawValue, url: "https://shop.example/\(checkout)?key=\(checkout)")
        for body in [text, echo, #"{"data":{"cart":\#(cart)}}"#] {
            for status in [200, 400, 401, 430, 500] {
                let storefront = try await FakeStorefront.start([
                    .message(status: status, headers: headers, body: Array(body.utf8))
                ])
                let client = try storefront.client(
                    .privateToken(Secret(token)),
                    clock: ManualClock(isAdvancedBySleeping: true),
                    retry: .standard,
                    observers: [recorder]
                )
                let context = StorefrontContext(buyerIP: address)
                do {
                    let operation = CartQuery(cartID: id, readsCheckoutURL: true)
                    let result = try await client.executePartial(operation, in: context)
                    #expect(canary.findings(in: result).isEmpty)
                    #expect(result.errors.allSatisfy { canary.findings(inText: $0.message).isEmpty })
                } catch {
                    let error = try #require(error as? IdentityError)
                    #expect(canary.findings(in: error).isEmpty)
                    let answer = error.providerResponse
                    let words = [answer?.error, answer?.errorDescription, answer?.traceID].compactMap { $0 }
                    #expect(canary.findings(inText: words.joined(separator: " ")).isEmpty)
                    #expect(!words.joined().contains(address))
                }
            }
        }
        #expect(recorder.events.count > 20)
        for event in recorder.events { #expect(canary.findings(in: event).isEmpty) }
    }
}
