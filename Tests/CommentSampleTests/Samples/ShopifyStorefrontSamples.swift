import IdentityKit
import ShopifyGraphQL
import ShopifyStorefront

private func addLater(_ lines: [CartLineInput]) {}

// swift-format-ignore
extension App {
    func cart(variantID: String, in context: StorefrontContext) async throws {
        let carts = CartAdapter(client: storefront, sessions: sessions, store: store)
        let cart = try await carts.add([CartLineInput(merchandiseID: variantID)], for: session.id, in: context)
        let handoff = try await carts.checkout(for: session.id, in: context)
        redirect(to: handoff.url.reveal())
        _ = cart
    }

    func partialAddition(lines: [CartLineInput], carts: CartAdapter, in context: StorefrontContext) async throws {
        do {
            _ = try await carts.add(lines, for: session.id, in: context)
        } catch let error as IdentityError {
            guard let partial = error.cause as? CartPartialAddition else { throw error }
            addLater(partial.missing)
            // Shopify may have omitted or reduced lines of partial.added. Read the cart before you add partial.unknown again.
        }
    }

    func storefrontClient(_ configuration: StorefrontConfiguration, ip: String) async throws {
        let storefront = StorefrontClient(configuration: configuration, environment: environment)
        let shop = try await storefront.execute(ShopInfo(), in: StorefrontContext(buyerIP: ip)).data
        print(shop.name)
    }

    func storefrontConfiguration(token: String) throws {
        let configuration = try StorefrontConfiguration(
            shopDomain: "example.myshopify.com",
            authentication: .privateToken(Secret(token))
        )
        _ = configuration
    }

    func cartLine() {
        let line = CartLineInput(merchandiseID: "gid://shopify/ProductVariant/1", quantity: 2)
        _ = line
    }

    func search(typed: String) {
        let query = SearchQuery.text(typed) && .field(.vendor, "Ren & Co") && !.field(.tag, "hidden")
        _ = query
    }

    func productFilters(chosen: [ProductFilterOptions.Value]) throws {
        let filters = try chosen.map { try ProductFilter(input: $0.input) }
        let operation = CollectionProducts(handle: .set("mugs"), filters: .set(filters))
        _ = operation
    }

    func products() async throws {
        let pages = storefront.pages { page in
            ProductsPage(first: page.size, after: .setIfPresent(page.cursor))
        } reading: { $0 }
        for try await page in pages {
            for product in page.nodes { print(product.title) }
        }
    }

    func storefrontContext() async throws {
        let context = StorefrontContext(buyerIP: ip, country: "CA", language: "FR")
        let shop = try await storefront.execute(ShopInfo(), in: context).data
        print(shop.name)
    }

    func cartPolicy() {
        var policy = CartPolicy()
        policy.logout = .drop
        policy.merge = .intoCustomerCart
        let carts = CartAdapter(client: storefront, sessions: sessions, store: store, policy: policy)
        _ = carts
    }
}
