import Foundation
import IdentityHTTP
import IdentityKit
import ShopifyGraphQL
import ShopifyStorefront

/// An operation that is in no published schema.
private struct FetchAttempt: GraphQLOperation {
    static let document = GraphQLDocument(name: "FetchAttempt", kind: .query, text: "")
    let id: String
    var variables: GraphQLInputObject { GraphQLInputObject() }

    struct Output: GraphQLReadable {
        let pollDelay: Int?
        let orderID: String?

        var isReady: Bool { orderID != nil }

        init(_ node: GraphQLNode) throws(GraphQLReadingError) {
            pollDelay = try node.field("pollDelay")
            orderID = try node.field("orderId")
        }
    }
}

struct Log: GraphQLObserver {
    func graphQLEvent(_ event: GraphQLEvent) {
        switch event.kind {
        case .deprecated, .servedByAnotherVersion: print("\(event.operation) must be updated: \(event.kind)")
        case .contextNotSent(let members): print("\(event.operation) does not send \(members)")
        case .repeated, .paused, .resumed, .cached: print("\(event.operation): \(event.kind)")
        case .finished(let code): print("\(event.operation): \(code?.rawValue ?? "done") after \(event.duration)")
        }
    }
}

/// Stands for the operation that storefront-gen writes.
private typealias ShopName = ShopInfo

// swift-format-ignore
extension App {
    private func storefrontPage(token: Secret, operation: ShopInfo, attempt: FetchAttempt) async throws {
        let configuration = try StorefrontConfiguration(
            shopDomain: "example.myshopify.com", authentication: .privateToken(token), apiVersion: .v2026_10)
        let storefront = StorefrontClient(
            configuration: configuration,
            environment: IdentityEnvironment(transport: try CurlTransport()),
            context: StorefrontContext(country: "CA", language: "EN"))

        let french = try await storefront.execute(operation, in: StorefrontContext(buyerIP: ip, language: "FR"))

        let result = try await storefront.execute(operation)
        _ = (result.data, result.errors, result.metadata.requestID, result.origin)
        let partial = try await storefront.executePartial(operation)
        if partial.data == nil { for error in partial.errors { log("\(error) at \(error.locations)") } }

        let careful = StorefrontClient(
            configuration: configuration, environment: environment,
            retry: RetryLimits(attempts: 5, maximumRetryAfter: .seconds(20), deadline: .seconds(60)))

        let done = try await storefront.poll(
            attempt, every: .seconds(1), timeout: .seconds(30),
            hint: { $0.pollDelay.map { .delay(.milliseconds($0)) } },
            until: { $0.isReady })

        let cache = InMemoryResponseCache(maximumEntries: 500, maximumBytes: 16 << 20)
        let cached = StorefrontClient(
            configuration: configuration, environment: environment,
            cache: cache, cachePolicy: .cacheFirst(expireIn: .seconds(60)))
        let fresh = try await cached.execute(operation, cachePolicy: .networkOnly)
        let purging = CachePurging(cache)
        sessions.add(purging)

        let handle = storefront.execute(operation, on: .main) { result in
            if case .success(let answer) = result { show(answer.data) }
        }
        handle.cancel()
        _ = (french, careful, done, fresh)
    }

    func migrationPage(
        session: SessionID, cartID: CartID, collectionID: String, productID: String, typed: String, attempt: String
    ) async throws {
        let shop = try await storefront.execute(ShopInfo(), cachePolicy: .cacheFirst(expireIn: .seconds(300))).data
        show("\(shop.name) sells in \(shop.paymentSettings.currencyCode), \(shop.refundPolicy?.title ?? "no refunds")")

        for collection in try await storefront.execute(CollectionsWithProducts(first: 10, productCount: 10)).data.nodes {
            show("\(collection.collectionCard.title): \(collection.products.nodes.map(\.title))")
        }

        let pages = storefront.pages { page in
            CollectionProducts(id: .set(collectionID), first: page.size, after: .setIfPresent(page.cursor))
        } reading: {
            $0?.products
        }
        for try await page in pages {
            for product in page.nodes { show(product.title) }
        }

        let product = try await storefront.execute(ProductByID(id: productID)).data
        for image in product?.images.nodes ?? [] { show(image.url.text) }
        for variant in product?.variants.nodes ?? [] where variant.availableForSale {
            show("\(variant.title): \(variant.price.amount) \(variant.price.currencyCode)")
        }

        switch try await storefront.execute(NodeByID(id: productID)).data?.concrete {
        case .product(let product): show(product.title)
        case .collection(let collection): show(collection.title)
        case .other(let name): show("a \(name)")
        default: show("nothing")
        }

        let pair = try await storefront.execute(NodePair(first: collectionID, second: productID)).data
        if case .collection(let collection) = pair.first?.concrete { show(collection.title) }
        if case .product(let product) = pair.second?.concrete { show(product.title) }

        let query = SearchQuery.text(typed) && SearchQuery.field(.tag, "blue") && !SearchQuery.isEmpty(.productType)
        let found = try await storefront.execute(ProductsPage(first: 10, query: .set(query))).data.nodes
        let suggestions = try await storefront.execute(PredictiveSearchQuery(query: typed, limit: .set(5))).data

        let cart = try await carts.add([.init(merchandiseID: variant, quantity: 5)], for: session, in: .init(buyerIP: ip))
        for warning in cart.warnings { show(warning.message) }
        let checkout = try await carts.checkout(for: session, in: .init(buyerIP: ip))
        redirect(to: checkout.url.reveal().text)

        let order = try await storefront.poll(
            FetchAttempt(id: attempt), every: .seconds(1), timeout: .seconds(30),
            hint: { $0.pollDelay.map { .delay(.milliseconds($0)) } },
            until: { $0.orderID != nil }).data.orderID

        do {
            let answer = try await storefront.executePartial(ShopInfo())
            for error in answer.errors { log("\(error.code?.rawValue ?? "no code") at \(error.path) \(error.locations)") }
        } catch let error as IdentityError where error.kind == .retryLater {
            log("try again in \(String(describing: error.retryAfter)): \(error)")
        }

        let identity = CartBuyerIdentityInput(phone: .null)
        _ = try await storefront.execute(CartBuyerIdentityUpdate(cartID: cartID, buyerIdentity: identity))
        _ = (order, found, suggestions)
    }

    func cataloguePage() async throws {
        for try await page in storefront.products(matching: .field(.tag, "new"), size: 250) {
            for product in page.nodes { print(product.title) }
        }
    }

    func generatorPage() async throws {
        let shop = try await storefront.execute(ShopName(), in: StorefrontContext(buyerIP: ip)).data
        print(shop.name)
    }
}
