import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentityShopify
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import StorefrontSandbox
import TestGuides
import Testing

/// The catalogue case studies of the Mobile Buy SDK's README, with current operations, which the fake shop validates.
@Suite struct MobileBuyCatalogueTests {
    private func storefront(_ sandbox: ShopSandbox, cache: (any ResponseCache)? = nil) throws -> StorefrontClient {
        let lab = sandbox.labConfiguration()
        let configuration = try IdentityConfiguration(json: lab.json.serialized, environmentVariables: lab.environment)
        return StorefrontClient(
            configuration: try StorefrontConfiguration(#require(configuration.storefront)),
            environment: IdentityEnvironment(transport: try CurlTransport()),
            context: StorefrontContext(buyerIP: "203.0.113.7", country: "US", language: "EN"),
            cache: cache,
            cachePolicy: .cacheFirst(expireIn: .seconds(300))
        )
    }

    @Test("case study: the shop's name, currency and policies, fetched once and then cached", .row("C1"))
    func shop() async throws {
        let sandbox = try await ShopSandbox.start(SandboxConfiguration())
        let cache = InMemoryResponseCache()
        let client = try storefront(sandbox, cache: cache)
        let shop = try await client.execute(ShopInfo())
        #expect(!shop.data.name.isEmpty && shop.data.paymentSettings.currencyCode == .usd && shop.errors.isEmpty)
        let refunds = try #require(shop.data.refundPolicy)
        #expect(refunds.title == "Refund policy" && refunds.body.contains("takes everything back"))
        #expect(refunds.url.text == sandbox.storefront.origin + "/policies/refund-policy")
        #expect(shop.data.privacyPolicy?.handle == "privacy-policy" && shop.data.shippingPolicy == nil)
        #expect(cache.count == 1)
        guard case .cache = try await client.execute(ShopInfo()).origin else {
            Issue.record("The second response did not come from the cache.")
            return
        }
    }

    @Test("case study: collections with the products of each, in one request", .row("C2"))
    func collections() async throws {
        let sandbox = try await ShopSandbox.start(SandboxConfiguration())
        let client = try storefront(sandbox)
        let page = try await client.execute(CollectionsWithProducts(first: 10, productCount: 2)).data
        let found = try #require(page.nodes.first)
        #expect(found.collectionCard.title == "Everything" && !page.pageInfo.hasNextPage)
        #expect(found.products.nodes.map(\.title) == ["Analytical Mug", "Difference T-Shirt"])
        #expect(found.products.pageInfo.hasNextPage && sandbox.storefront.requests.count == 1)
    }

    @Test("case study: two nodes of different types by alias, in one request", .row("B7"))
    func aliases() async throws {
        let sandbox = try await ShopSandbox.start(SandboxConfiguration())
        let client = try storefront(sandbox)
        let pair = NodePair(first: "gid://shopify/Collection/1", second: "gid://shopify/Product/1")
        let nodes = try await client.execute(pair).data
        guard case .collection(let collection) = nodes.first?.concrete,
            case .product(let product) = nodes.second?.concrete
        else {
            Issue.record("The nodes are not a collection and a product: \(nodes)")
            return
        }
        #expect(collection.title == "Everything" && product.title == "Analytical Mug")
        #expect(sandbox.storefront.requests.count == 1)
    }

    @Test("case study: a page of collections, and then the products of one", .row("C2"))
    func collectionThenProducts() async throws {
        let sandbox = try await ShopSandbox.start(SandboxConfiguration())
        let client = try storefront(sandbox)
        let collections = try await client.execute(CollectionsPage(first: 10)).data.nodes
        let collection = try #require(collections.first)
        let products = try await client.execute(CollectionProducts(id: .set(collection.id), first: 10)).data?.products
        #expect(try #require(products).nodes.contains { $0.title == "Analytical Mug" })
    }

    @Test("case study: the products of a collection, page by page, each once", .row("C3"))
    func pagination() async throws {
        let sandbox = try await ShopSandbox.start(SandboxConfiguration())
        let client = try storefront(sandbox)
        let collection = try #require(try await client.execute(CollectionsPage(first: 1)).data.nodes.first)
        let pages = client.pages(size: 1) { page in
            CollectionProducts(id: .set(collection.id), first: page.size, after: .setIfPresent(page.cursor))
        } reading: {
            $0?.products
        }
        var titles: [String] = []
        var count = 0
        for try await page in pages {
            count += 1
            titles += page.nodes.map(\.title)
        }
        #expect(count == titles.count && titles.count >= 2 && Set(titles).count == titles.count)
    }

    @Test("case study: a product with its images and variants, by id, by handle and as a node", .row("C4"))
    func product() async throws {
        let sandbox = try await ShopSandbox.start(SandboxConfiguration())
        let client = try storefront(sandbox)
        let card = try #require(try await client.execute(ProductsPage(first: 1)).data.nodes.first)
        let product = try #require(try await client.execute(ProductByID(id: card.id)).data)
        #expect(product.productCard.title == card.title)
        let image = try #require(product.images.nodes.first)
        #expect(
            image.url.text == sandbox.storefront.origin + "/files/analytical-mug.svg" && image.altText == card.title
        )
        #expect(image.width == 800 && image.height == 600)
        #expect(product.variants.nodes.first?.image?.url == image.url)
        #expect(try #require(product.variants.nodes.first).price.currencyCode == "USD")
        // The product is read without its tags, so that a token without the scope for tags gets the product too.
        #expect(product.tags == nil)
        #expect(try await client.execute(ProductByID(id: card.id, readsTags: true)).data?.tags != nil)
        let same = try await client.execute(ProductByHandle(handle: card.handle)).data
        #expect(same?.productCard.id == card.id)
        guard case .product(let node) = try await client.execute(NodeByID(id: card.id)).data?.concrete else {
            Issue.record("The node was not read as a product.")
            return
        }
        #expect(node.id == card.id)
        #expect(try await client.execute(ProductByID(id: "gid://shopify/Product/999")).data == nil)
    }

    @Test("case study: searching, and what a search box suggests", .row("C5"))
    func search() async throws {
        let sandbox = try await ShopSandbox.start(SandboxConfiguration())
        let client = try storefront(sandbox)
        let found = try await client.execute(ProductsPage(first: 10, query: .set(.text("Mug")))).data.nodes
        #expect(found.contains { $0.title == "Analytical Mug" })
        let suggestions = try await client.execute(PredictiveSearchQuery(query: "mug", limit: .set(5))).data
        #expect(try #require(suggestions).products.contains { $0.title == "Analytical Mug" })
    }
}
