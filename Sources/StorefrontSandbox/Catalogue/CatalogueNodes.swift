internal import FoundationEssentials
internal import IdentityKit
internal import IdentitySandbox

extension SandboxStorefront {
    static func handle(_ title: String) -> String {
        String(title.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "-" })
    }

    private static let dates: [String: GraphNode] = [
        "createdAt": .text("2026-01-02T03:04:05Z"), "publishedAt": .text("2026-01-02T03:04:05Z"),
        "updatedAt": .text("2026-01-02T03:04:05Z"),
    ]

    func variantNode(_ variant: SandboxStorefrontConfiguration.Variant) -> GraphNode {
        var members = variantMembers(variant)
        // The product's node is built only if it is selected, because a cart may have hundreds of lines.
        members["product"] = .computed { [self] _ in productNode(variant.product, deep: false) }
        return .object(members)
    }

    private func variantMembers(_ variant: SandboxStorefrontConfiguration.Variant) -> [String: GraphNode] {
        [
            "__typename": .text("ProductVariant"), "id": .text(variant.id), "title": .text(variant.title),
            "sku": .text(Self.handle(variant.title)),
            "availableForSale": .flag(variant.stock != 0), "currentlyNotInStock": .flag(variant.stock == 0),
            "quantityAvailable": variant.stock.map { .integer($0) } ?? .null,
            "quantityRule": ["increment": .integer(1), "minimum": .integer(1)],
            "price": .money(variant.price, configuration.currencyCode), "requiresShipping": .flag(true),
            "requiresComponents": .flag(false), "taxable": .flag(true), "weight": .integer(0),
            "weightUnit": .text("KILOGRAMS"), "image": image(variant.product, of: variant),
            "selectedOptions": .list(
                zip(facts(of: variant.product).options, variant.values).map { name, value in
                    ["name": .text(name), "value": .text(value)]
                }
            ), "metafields": Self.noMetafields,
        ]
    }

    func facts(of title: String) -> SandboxStorefrontConfiguration.Product {
        configuration.products.first { $0.title == title } ?? SandboxStorefrontConfiguration.Product(title: title)
    }

    private func image(
        _ title: String,
        of variant: SandboxStorefrontConfiguration.Variant? = nil
    ) -> GraphNode {
        let name = ProductPicture.name(of: facts(of: title), variant)
        return [
            "id": .text("gid://shopify/ProductImage/\(name)"), "altText": .text(title), "width": .integer(800),
            "height": .integer(600),
            "url": .computed { [origin] arguments in
                let width = arguments["transform"]?["maxWidth"]?.number?.integer.map { "?width=\($0)" } ?? ""
                return .text("\(origin)\(ProductPicture.folder)\(name).svg" + width)
            },
        ]
    }

    /// Returns the node of a product; if `deep` is false, the product has no collections, and its variants have no `product`.
    func productNode(_ title: String, deep: Bool) -> GraphNode {
        let variants = configuration.variants.filter { $0.product == title }
        let facts = facts(of: title)
        @Sendable func node(_ variant: SandboxStorefrontConfiguration.Variant) -> GraphNode {
            deep ? variantNode(variant) : .object(variantMembers(variant))
        }
        @Sendable func chosen(_ options: JSONValue?) -> GraphNode? {
            let wanted = (options?.array ?? []).map { ($0["name"]?.string, $0["value"]?.string) }
            guard !wanted.isEmpty else { return nil }
            return variants.first { variant in
                let own = Dictionary(zip(facts.options, variant.values)) { $1 }
                return wanted.allSatisfy { name, value in name.flatMap { own[$0] } == value }
            }.map(node)
        }
        let collections = deep ? self.collections(of: facts) : []
        let members: [String: GraphNode] = [
            "__typename": .text("Product"), "id": .computed { [self] _ in .text(productID(title)) },
            "handle": .text(Self.handle(title)), "title": .text(title), "vendor": .text("Sandbox"),
            "productType": .text(facts.type), "isGiftCard": .flag(false),
            "requiresSellingPlan": .flag(false), "description": Self.description(facts.text),
            "descriptionHtml": .text("<p>\(facts.text)</p>"), "tags": .list(facts.tags.map { .text($0) }),
            "availableForSale": .flag(variants.contains { $0.stock != 0 }),
            "totalInventory": .integer(variants.reduce(0) { $0 + ($1.stock ?? 100) }),
            "variantsCount": ["count": .integer(variants.count), "precision": .text("EXACT")],
            "seo": ["title": .text(title)], "featuredImage": image(title),
            "images": .connection([image(title)]),
            "options": .computed { [self] _ in .list(options(variants, of: facts)) },
            "priceRange": priceRange(variants.map(\.price)),
            "compareAtPriceRange": priceRange([]),
            "collections": .connection(
                collections.map { collectionNode($0, deep: false) },
                with: ["totalCount": .text(String(collections.count))]
            ),
            "variants": .computed { _ in .connection(variants.map(node)) },
            "selectedOrFirstAvailableVariant": .computed { arguments in
                chosen(arguments["selectedOptions"]) ?? (variants.first { $0.stock != 0 } ?? variants.first).map(node)
                    ?? .null
            },
            "variantBySelectedOptions": .computed { chosen($0["selectedOptions"]) ?? .null },
            "metafields": Self.noMetafields,
        ]
        return .object(members.merging(Self.dates) { $1 })
    }

    private static func description(_ text: String) -> GraphNode {
        .computed { arguments in
            guard let length = arguments["truncateAt"]?.number?.integer, length >= 0, text.count > length else {
                return .text(text)
            }
            return .text(text.prefix(max(0, length - 1)) + "…")
        }
    }

    private func options(
        _ variants: [SandboxStorefrontConfiguration.Variant],
        of facts: SandboxStorefrontConfiguration.Product
    ) -> [GraphNode] {
        facts.options.enumerated().map { position, name in
            let id = "gid://shopify/ProductOption/\(Self.handle(facts.title))-\(Self.handle(name))"
            let values = variants.compactMap { $0.values.dropFirst(position).first }.unique
            let nodes = values.map { value -> GraphNode in
                ["id": .text("\(id)-\(Self.handle(value))"), "name": .text(value)]
            }
            return ["id": .text(id), "name": .text(name), "optionValues": .list(nodes)]
        }
    }

    private func priceRange(_ prices: [Int]) -> GraphNode {
        [
            "minVariantPrice": .money(prices.min() ?? 0, configuration.currencyCode),
            "maxVariantPrice": .money(prices.max() ?? 0, configuration.currencyCode),
        ]
    }

    var productTitles: [String] { configuration.variants.map(\.product).unique }

    func productID(_ title: String) -> String {
        "gid://shopify/Product/\((productTitles.firstIndex(of: title) ?? 0) + 1)"
    }

    struct Collection: Sendable {
        let id: String
        let title: String
        let products: [String]
    }

    private static let wholeCollectionID = "gid://shopify/Collection/1"

    var collections: [Collection] {
        let everything = Collection(id: Self.wholeCollectionID, title: "Everything", products: productTitles)
        let titles = configuration.products.flatMap(\.collections).unique
        let others = titles.enumerated().map { position, title in
            Collection(
                id: "gid://shopify/Collection/\(position + 2)",
                title: title,
                products: productTitles.filter { facts(of: $0).collections.contains(title) }
            )
        }
        return [everything] + others
    }

    private func collections(of facts: SandboxStorefrontConfiguration.Product) -> [Collection] {
        collections.filter { $0.products.contains(facts.title) }
    }

    /// Returns the node of a collection; if `deep` is false, its products have no collections.
    func collectionNode(_ collection: Collection, deep: Bool) -> GraphNode {
        let isWhole = collection.id == Self.wholeCollectionID
        let text = isWhole ? "Everything that the sandbox has." : "\(collection.title) of the sandbox."
        return [
            "__typename": .text("Collection"),
            "id": .text(collection.id), "handle": .text(isWhole ? "all" : Self.handle(collection.title)),
            "title": .text(collection.title), "description": Self.description(text),
            "descriptionHtml": .text("<p>\(text)</p>"), "seo": ["title": .text(collection.title)],
            "updatedAt": .text("2026-01-02T03:04:05Z"), "metafields": Self.noMetafields,
            "products": .computed { [self] arguments in
                let titles = arranged(collection.products, arguments)
                // The filters count all products of the collection, so that a buyer also sees the values that are not chosen.
                return .connection(
                    titles.map { productNode($0, deep: deep) },
                    with: ["filters": filters(for: collection.products)]
                )
            },
        ]
    }
}

extension Sequence where Element: Hashable {
    var unique: [Element] {
        var known = Set<Element>()
        return filter { known.insert($0).inserted }
    }
}
