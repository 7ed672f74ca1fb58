import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import ShopifyGraphQL
import ShopifyStorefront
import Synchronization

/// A Storefront API whose responses a test chooses for each call.
final class FakeStorefront: Sendable {
    struct Call: Sendable {
        let request: LoopbackRequest
        let document: String
        let variables: JSONObject

        /// The mutation's or query's field, for example `cartCreate`.
        var field: String {
            let fields = [
                "cartCreate", "cartLinesAdd", "cartBuyerIdentityUpdate", "cartDeliveryAddressesReplace",
                "cartDeliveryAddressesRemove", "cartDeliveryAddressesUpdate", "cartNoteUpdate", "cartLinesUpdate",
                "cartLinesRemove", "cartAttributesUpdate", "cartDiscountCodesUpdate", "cartGiftCardCodesAdd",
                "cartDeliveryAddressesAdd",
            ]
            return fields.first { document.contains($0 + "(") } ?? "cart"
        }

        var identity: JSONObject? {
            (variables["buyerIdentity"] ?? variables["input"]?["buyerIdentity"])?.object
        }

        var token: String? { identity?["customerAccessToken"]?.string }
    }

    private struct State {
        var calls: [Call] = []
        var handler: @Sendable (Call) async -> LoopbackResponse
    }

    private let server: LoopbackServer
    private let state: Mutex<State>

    var calls: [Call] { state.withLock { $0.calls } }
    var fields: [String] { calls.map(\.field) }
    var endpoint: String { server.origin + "/api/2026-10/graphql.json" }

    private init(_ server: LoopbackServer, _ state: consuming Mutex<State>) {
        self.server = server
        self.state = state
    }

    static func start(_ handler: @escaping @Sendable (Call) async -> LoopbackResponse) async throws -> FakeStorefront {
        let inbox = Inbox()
        let server = try await LoopbackServer.start { await inbox.answer($0) }
        let fake = FakeStorefront(server, Mutex(State(handler: handler)))
        inbox.box.withLock { $0.fake = fake }
        return fake
    }

    /// Replaces the responses from now on.
    func now(_ handler: @escaping @Sendable (Call) async -> LoopbackResponse) {
        state.withLock { $0.handler = handler }
    }

    func forget() { state.withLock { $0.calls = [] } }

    private func answer(_ request: LoopbackRequest) async -> LoopbackResponse {
        let body = try? JSONValue(parsing: request.body)
        let call = Call(
            request: request,
            document: body?["query"]?.string ?? "",
            variables: body?["variables"]?.object ?? [:]
        )
        let handler = state.withLock { state in
            state.calls.append(call)
            return state.handler
        }
        return await handler(call)
    }

    private final class Inbox: Sendable {
        struct Box { weak var fake: FakeStorefront? }
        let box = Mutex(Box())

        func answer(_ request: LoopbackRequest) async -> LoopbackResponse {
            guard let fake = box.withLock({ $0.fake }) else { return .message(status: 503) }
            return await fake.answer(request)
        }
    }

    func client(
        _ authentication: StorefrontAuthentication = .privateToken(Secret("shpat-private")),
        clock: any IdentityClock = SystemClock(),
        version: StorefrontAPIVersion = .standard,
        context: StorefrontContext = StorefrontContext(),
        retry: RetryLimits = .none,
        cache: (any ResponseCache)? = nil,
        cachePolicy: CachePolicy = .networkOnly,
        observers: [any GraphQLObserver] = []
    ) throws -> StorefrontClient {
        StorefrontClient(
            configuration: try StorefrontConfiguration(
                shopDomain: "shop.example",
                authentication: authentication,
                apiVersion: version,
                endpoint: try HTTPURL(endpoint),
                allowsLoopbackHTTP: true,
                timeout: .seconds(60)
            ),
            environment: IdentityEnvironment(transport: try CurlTransport(), clock: clock, random: LongestPauses()),
            context: context,
            retry: retry,
            cache: cache,
            cachePolicy: cachePolicy,
            observers: observers
        )
    }
}

/// A random source that always gives the longest pause, so that a test can predict it.
struct LongestPauses: RandomSource {
    func bytes(_ count: Int) throws -> [UInt8] { Array(repeating: 255, count: count) }
}

extension LoopbackResponse {
    static func json(_ text: String, status: Int = 200, _ headers: [(String, String)] = []) -> LoopbackResponse {
        .message(status: status, headers: [("Content-Type", "application/json")] + headers, body: Array(text.utf8))
    }

    /// A payload with a cart, user errors and warnings, each as JSON.
    static func payload(
        _ field: String,
        cart: String = .cart(),
        userErrors: String = "",
        warnings: String = "",
        errors: String = ""
    ) -> LoopbackResponse {
        let payload = #"{"cart":\#(cart),"userErrors":[\#(userErrors)],"warnings":[\#(warnings)]}"#
        let extra = errors.isEmpty ? "" : #","errors":[\#(errors)]"#
        return .json(#"{"data":{"\#(field)":\#(payload)}\#(extra)}"#, [("X-Request-Id", "request-1")])
    }

    static func read(_ cart: String, errors: String = "") -> LoopbackResponse {
        .json(#"{"data":{"cart":\#(cart)},"errors":[\#(errors)]}"#, [("X-Request-Id", "request-1")])
    }

    static let tokenRefused =
        #"{"code":"INVALID","field":["buyerIdentity","customerAccessToken"],"message":"Client ist ungültig"}"#
}

extension String {
    static func graphQLError(_ code: String, _ path: String...) -> String {
        let path = path.map { #""\#($0)""# }.joined(separator: ",")
        return #"{"message":"m","path":[\#(path)],"extensions":{"code":"\#(code)"}}"#
    }

    /// A cart as JSON; `members` are further members, each followed by a comma.
    static func cart(
        id: String = "gid://shopify/Cart/c1?key=k1",
        members: String = "",
        email: String? = nil,
        customer: String? = nil,
        addresses: [String] = [],
        url: String = "https://shop.example/cart/c/c1?key=u1",
        lines: [String] = [.line()],
        pageInfo: String = #"{"hasNextPage":false}"#
    ) -> String {
        let customer = customer.map { #"{"id":"\#($0)"}"# } ?? "null"
        let email = email.map { #""\#($0)""# } ?? "null"
        let addresses = addresses.map { #"{"id":"\#($0)"}"# }.joined(separator: ",")
        return """
            {"id":"\(id)",\(members)"checkoutUrl":"\(url)","totalQuantity":1,
            "cost":{"subtotalAmount":{"amount":"12.50","currencyCode":"USD"},"totalAmount":{"amount":"12.50","currencyCode":"USD"}},
            "buyerIdentity":{"email":\(email),"phone":null,"countryCode":null,"customer":\(customer)},
            "delivery":{"addresses":[\(addresses)]},
            "lines":{"nodes":[\(lines.joined(separator: ","))],"pageInfo":\(pageInfo)}}
            """
    }

    static func line(quantity: String = "1", plan: String? = nil) -> String {
        let allocation = plan.map { #"{"sellingPlan":{"id":"\#($0)"}}"# } ?? "null"
        return """
            {"id":"l1","quantity":\(quantity),"sellingPlanAllocation":\(allocation),"merchandise":{"id":"v1","title":"Blue","product":{"title":"Mug"}},
            "cost":{"totalAmount":{"amount":"12.50","currencyCode":"USD"}}}
            """
    }
}
