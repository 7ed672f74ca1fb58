internal import Foundation
internal import IdentityHTTP
internal import IdentityKit
internal import IdentitySQLite
internal import IdentityStoreKit
internal import ShopifyStorefront

/// What the cart adapter costs beside the call itself: the session's lock, the binding out of a SQLite file, the token, the comparison of
/// fingerprints, the write back.
///
/// The network answers at once, out of memory.
struct AdapterBenchmark {
    let folder: String
    let time: Duration

    private static let cart = """
        {"id":"gid://shopify/Cart/c1?key=k1","checkoutUrl":"https://shop.example/cart/c/c1?key=u1","totalQuantity":1,\
        "cost":{"subtotalAmount":{"amount":"12.50","currencyCode":"USD"},"totalAmount":{"amount":"12.50","currencyCode":"USD"}},\
        "buyerIdentity":{"email":null,"phone":null,"countryCode":null,"customer":{"id":"gid://shopify/Customer/1"}},\
        "delivery":{"addresses":[]},"lines":{"nodes":[{"id":"l1","quantity":1,"merchandise":{"id":"v1","title":"Blue",\
        "product":{"title":"Mug"}},"cost":{"totalAmount":{"amount":"12.50","currencyCode":"USD"}}}],\
        "pageInfo":{"hasNextPage":false}}}
        """

    /// Answers every operation on a cart with the same one.
    private struct Shop: HTTPTransport {
        private static let answers = ["cart", "cartCreate"].map { name in
            let payload =
                name == "cart"
                ? AdapterBenchmark.cart : "{\"cart\":\(AdapterBenchmark.cart),\"userErrors\":[],\"warnings\":[]}"
            return Array("{\"data\":{\"\(name)\":\(payload)}}".utf8)
        }

        func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
            let isCreation = request.body?.contains(Array("cartCreate(".utf8)) ?? false
            return HTTPResponse(status: 200, body: Self.answers[isCreation ? 1 : 0])
        }
    }

    private struct Provider: IdentityProvider, CartClaimProviding {
        let descriptor = ProviderDescriptor(name: "shop", kind: "benchmark", clientID: "client")

        func cartClaim(for tokens: TokenSet) async throws -> CartClaim {
            .customer(
                CustomerAccessToken(
                    issuedByShopify: tokens.accessToken,
                    expiresAt: tokens.expiresAt,
                    issuer: tokens.buyer.issuer
                )
            )
        }

        func authorizationRequest(_ options: LoginOptions) async throws -> AuthorizationRequest { throw unsupported }
        func exchange(_ callback: LoginCallback, for attempt: LoginAttempt) async throws -> TokenSet {
            throw unsupported
        }
        func refresh(_ tokens: TokenSet) async throws -> TokenSet { throw unsupported }
        func logoutURL(for tokens: TokenSet, returningTo uri: String?) async throws -> HTTPURL? { nil }

        private var unsupported: IdentityError {
            IdentityError(.configuration, .unsupportedByProvider, "Only carts are measured.")
        }
    }

    func run() async throws {
        let key = try StoreKey(bytes: Secret(bytes: [UInt8](repeating: 9, count: StoreKey.byteCount)))
        let store = try await SQLiteStore.open(.init(path: "\(folder)/carts.sqlite", key: key))
        let environment = IdentityEnvironment(transport: Shop())
        let sessions = SessionManager(
            providers: try ProviderRegistry([Provider()]),
            store: store,
            environment: environment
        )
        let client = StorefrontClient(
            configuration: try StorefrontConfiguration(
                shopDomain: "shop.example.com",
                authentication: .privateToken(Secret("token"))
            ),
            environment: environment
        )
        let adapter = CartAdapter(client: client, sessions: sessions, store: store)
        let tokens = TokenSet(
            buyer: Buyer(issuer: "https://id.example", subject: "buyer"),
            accessToken: Secret(String(repeating: "t", count: 800)),
            issuedAt: Date(),
            expiresAt: Date(timeIntervalSinceNow: 3600)
        )
        let session = try await sessions.establish(tokens, provider: "shop").id
        let cart = try await adapter.create(for: session)
        let query = CartQuery(cartID: cart.cart.id)
        Report.heading("A cart without network, its binding in a SQLite file")
        let alone = try await Timing.measure(for: time) { keep(try await client.execute(query)) }
        let adapted = try await Timing.measure(for: time) { keep(try await adapter.read(for: session)) }
        Report.line("the client alone", alone)
        Report.line("the adapter", adapted)
        Report.line(
            "the adapter's own part",
            Timing(best: adapted.best - alone.best, median: adapted.median - alone.median)
        )
        await store.close()
    }
}
