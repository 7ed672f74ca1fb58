internal import IdentityKit
internal import IdentityWeb
internal import ShopifyGraphQL
internal import ShopifyStorefront

extension WebShop {
    private static let pageSize = 12

    /// The list of products: all, the products of a collection, or the results of a search.
    func products(_ context: WebContext) async throws -> WebResponse {
        let request = context.request
        let search = request.queryValue("q").map { String($0.prefix(100)) }.flatMap { $0.isEmpty ? nil : $0 }
        let handle = request.queryValue("collection")
        let after = request.queryValue("after")
        let storefront = self.storefront
        async let collections = storefront.execute(CollectionsPage(first: 12), in: caller(context)).data.nodes
        let list: ProductsConnection
        if let handle {
            let operation = CollectionProducts(
                handle: .set(handle),
                first: Self.pageSize,
                after: .setIfPresent(after)
            )
            guard let found = try await storefront.execute(operation, in: caller(context)).data else {
                return try await notFound(context)
            }
            list = found.products.productsConnection
        } else {
            let operation = ProductsPage(
                first: Self.pageSize,
                after: .setIfPresent(after),
                query: .setIfPresent(search.map { .text($0) })
            )
            list = try await storefront.execute(operation, in: caller(context)).data
        }
        let chips = try await collections.map { collection -> Markup in
            let current: Markup = collection.handle == handle ? " aria-current=\"page\"" : .none
            return
                "<li><a href=\"\(Link.to("/", ["collection": collection.handle]))\"\(current)>\(collection.title)</a></li>"
        }
        let title = search.map { "Results for “\($0)”" } ?? "Products"
        let more: Markup =
            if list.pageInfo.hasNextPage, let end = list.pageInfo.endCursor {
                "<p class=\"more\"><a class=\"button plain\" href=\"\(Link.to("/", ["q": search, "collection": handle, "after": end]))\">More products</a></p>"
            } else { .none }
        let empty: Markup = list.nodes.isEmpty ? "<p>Nothing was found. <a href=\"/\">See all products</a></p>" : .none
        return try await page(
            title,
            """
            <h1>\(title)</h1>
            <nav aria-label="Collections"><ul class="chips">\(chips)</ul></nav>
            <ul class="grid">\(list.nodes.map { card($0) })</ul>
            \(empty)\(more)
            """,
            in: context
        )
    }

    private func card(_ product: ProductCard) -> Markup {
        let prices = product.priceRange
        let isRange = prices.minVariantPrice.amount != prices.maxVariantPrice.amount
        let soldOut: Markup = product.availableForSale ? .none : "<span class=\"badge\">Sold out</span>"
        return """
            <li class="card"><a href="/products/\(Link.encoded(product.handle))">
            \(picture(product.featuredImage))
            <span class="title">\(product.title)</span>
            <span class="price">\(isRange ? "from " : "")\(Self.price(prices.minVariantPrice))</span>\(soldOut)
            </a></li>
            """
    }

    func picture(_ image: StorefrontImage?) -> Markup {
        guard let image else { return "<span class=\"picture\"></span>" }
        return """
            <img class="picture" src="\(image.url.text)" alt="" width="\(image.width ?? 800)" height="\(image.height ?? 600)">
            """
    }

    func product(_ handle: String, _ context: WebContext) async throws -> WebResponse {
        let storefront = self.storefront
        let operation = ProductByHandle(handle: handle, variantCount: 100, readsTags: true)
        guard let product = try await storefront.execute(operation, in: caller(context)).data else {
            return try await notFound(context)
        }
        let card = product.productCard
        // If the recommendations cannot be fetched, the page is shown without them.
        let others =
            (try? await storefront.execute(ProductRecommendations(productID: .set(card.id)), in: caller(context)).data)
            ?? []
        let variants = product.variants.nodes
        let first = variants.first { $0.availableForSale }
        let differ = Set(variants.map(\.price.amount)).count > 1
        let choices = variants.map { variant -> Markup in
            let checked: Markup = variant.id == first?.id ? " checked" : .none
            let disabled: Markup = variant.availableForSale ? .none : " disabled"
            let note: Markup =
                if !variant.availableForSale {
                    " <small>sold out</small>"
                } else if let left = variant.quantityAvailable,
                    left < 10
                { " <small>\(left) left</small>" } else { .none }
            return """
                <label><input type="radio" name="variant" value="\(variant.id)"\(checked)\(disabled) required>\
                <span>\(variant.title)\(differ ? " · \(Self.price(variant.price))" : "")\(note)</span></label>
                """
        }
        let button: Markup = first == nil ? "<p class=\"badge\">Sold out</p>" : "<button>Add to cart</button>"
        let tags = (product.tags ?? []).map { tag -> Markup in "<li>\(tag)</li>" }
        return try await page(
            card.title,
            """
            <article class="product">
            <div>\(picture(card.featuredImage))\(gallery(variants, besides: card.featuredImage))</div>
            <div>
            <h1>\(card.title)</h1>
            <p class="price">\(Self.price(first?.price ?? card.priceRange.minVariantPrice))</p>
            <p>\(product.description)</p>
            <ul class="tags" aria-label="Tags">\(tags)</ul>
            <form method="post" action="/cart/add">\(protection(context))
            <fieldset class="variants"><legend>\(product.options.map(\.name).joined(separator: " / "))</legend>\(choices)</fieldset>
            <label class="quantity">Quantity <input name="quantity" type="number" min="1" max="99" value="1" required></label>
            \(button)
            </form>
            </div>
            </article>
            <h2>You may also like</h2>
            <ul class="grid small">\(others.prefix(4).map { self.card($0) })</ul>
            """,
            in: context
        )
    }

    /// At most five pictures of the variants, each once and without `main`; empty if there are fewer than two.
    private func gallery(_ variants: [ProductVariantDetails], besides main: StorefrontImage?) -> Markup {
        var known = Set([main?.url.text ?? ""])
        let images = variants.compactMap(\.image).filter { known.insert($0.url.text).inserted }
        guard images.count > 1 else { return .none }
        return "<div class=\"gallery\">\(images.prefix(5).map { picture($0) })</div>"
    }
}
