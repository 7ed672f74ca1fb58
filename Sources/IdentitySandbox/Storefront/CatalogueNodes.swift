internal import IdentityKit

extension SandboxStorefront {
    private static func handle(_ title: String) -> String {
        String(title.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "-" })
    }

    func variantNode(_ variant: SandboxStorefrontConfiguration.Variant) -> GraphNode {
        .object(
            "ProductVariant",
            variantMembers(variant).merging(["product": productNode(variant.product, deep: false)]) { $1 }
        )
    }

    private func variantMembers(_ variant: SandboxStorefrontConfiguration.Variant) -> [String: GraphNode] {
        [
            "id": .text(variant.id), "title": .text(variant.title), "sku": .text(Self.handle(variant.title)),
            "availableForSale": .flag(variant.stock != 0),
            "quantityAvailable": variant.stock.map { .integer($0) } ?? .null,
            "price": .money(variant.price, configuration.currencyCode), "requiresShipping": .flag(true),
            "selectedOptions": .list([
                .object("SelectedOption", ["name": .text("Variant"), "value": .text(variant.title)])
            ]),
        ]
    }

    /// A product; not `deep`, its variants do not lead back to it.
    private func productNode(_ title: String, deep: Bool) -> GraphNode {
        let variants = configuration.variants.filter { $0.product == title }
        let prices = variants.map(\.price)
        let nodes = variants.map { variant in
            deep ? variantNode(variant) : GraphNode.object("ProductVariant", variantMembers(variant))
        }
        let currency = configuration.currencyCode
        return .object(
            "Product",
            [
                "id": .text(productID(title)), "handle": .text(Self.handle(title)), "title": .text(title),
                "vendor": .text("Sandbox"), "productType": .text(""),
                "description": .text("\(title), from the sandbox."),
                "descriptionHtml": .text("<p>From the sandbox.</p>"), "tags": .list([]),
                "availableForSale": .flag(variants.contains { $0.stock != 0 }),
                "priceRange": .object(
                    "ProductPriceRange",
                    [
                        "minVariantPrice": .money(prices.min() ?? 0, currency),
                        "maxVariantPrice": .money(prices.max() ?? 0, currency),
                    ]
                ),
                "variants": .connection("ProductVariantConnection", "ProductVariantEdge", nodes),
            ]
        )
    }

    private var productTitles: [String] {
        configuration.variants.map(\.product).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    private func productID(_ title: String) -> String {
        "gid://shopify/Product/\((productTitles.firstIndex(of: title) ?? 0) + 1)"
    }

    private var collectionNode: GraphNode {
        .object(
            "Collection",
            [
                "id": .text("gid://shopify/Collection/1"), "handle": .text("all"), "title": .text("Everything"),
                "description": .text(""),
                "products": .connection(
                    "ProductConnection",
                    "ProductEdge",
                    productTitles.map { productNode($0, deep: true) }
                ),
            ]
        )
    }

    var catalogueQueries: [String: GraphExecutor.Resolver] {
        [
            "product": { [self] call in
                let title = productTitles.first {
                    call.arguments["id"]?.string == productID($0)
                        || call.arguments["handle"]?.string == Self.handle($0)
                }
                return title.map { productNode($0, deep: true) } ?? .null
            },
            "products": { [self] call in
                // Enough of the search syntax to see that a query arrives: every word must be in the title.
                let words = (call.arguments["query"]?.string ?? "").lowercased().split(separator: " ")
                let found = productTitles.filter { title in words.allSatisfy { title.lowercased().contains($0) } }
                return page(
                    .connection("ProductConnection", "ProductEdge", found.map { productNode($0, deep: true) }),
                    call
                )
            },
            "collection": { [self] call in
                call.arguments["handle"]?.string == "all"
                    || call.arguments["id"]?.string == "gid://shopify/Collection/1"
                    ? collectionNode : .null
            },
            "collections": { [self] call in
                page(.connection("CollectionConnection", "CollectionEdge", [collectionNode]), call)
            },
            "node": { [self] call in node(id: call.arguments["id"]?.string ?? "") },
            "nodes": { [self] call in
                .list((call.arguments["ids"]?.array ?? []).map { node(id: $0.string ?? "") })
            },
            "shop": { [self] _ in shopNode },
            "localization": { call in
                let code = call.context["country"]?.string ?? "US"
                let country = GraphNode.object("Country", ["isoCode": .text(code), "name": .text(code)])
                let language = call.context["language"]?.string ?? "EN"
                return .object(
                    "Localization",
                    [
                        "country": country, "availableCountries": .list([country]),
                        "language": .object(
                            "Language",
                            ["isoCode": .text(language), "name": .text(language), "endonymName": .text(language)]
                        ),
                    ]
                )
            },
            "publicApiVersions": { _ in
                .list(
                    StorefrontVersions.supported.map { version in
                        .object(
                            "ApiVersion",
                            ["handle": .text(version), "displayName": .text(version), "supported": .flag(true)]
                        )
                    }
                )
            },
        ]
    }

    private func page(_ node: GraphNode, _ call: GraphCall) -> GraphNode {
        if case .computed(let compute) = node { compute(call.arguments) } else { node }
    }

    private func node(id: String) -> GraphNode {
        if let variant = configuration.variants.first(where: { $0.id == id }) { return variantNode(variant) }
        if let title = productTitles.first(where: { productID($0) == id }) { return productNode(title, deep: true) }
        return id == "gid://shopify/Collection/1" ? collectionNode : .null
    }

    private var shopNode: GraphNode {
        .object(
            "Shop",
            [
                "id": .text("gid://shopify/Shop/1"), "name": .text("Sandbox"), "moneyFormat": .text("${{amount}}"),
                "shipsToCountries": .list([.text("US"), .text("CA"), .text("DE")]),
                "primaryDomain": .object(
                    "Domain",
                    ["host": .text("127.0.0.1"), "sslEnabled": .flag(false), "url": .text(origin)]
                ),
                "paymentSettings": .object(
                    "PaymentSettings",
                    [
                        "currencyCode": .text(configuration.currencyCode), "countryCode": .text("US"),
                        "enabledPresentmentCurrencies": .list([.text(configuration.currencyCode)]),
                    ]
                ),
            ]
        )
    }
}
