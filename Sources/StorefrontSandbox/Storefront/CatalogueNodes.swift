internal import FoundationEssentials
internal import IdentityKit
internal import IdentitySandbox

/// Products and variants.
extension SandboxStorefront {
    static func handle(_ title: String) -> String {
        String(title.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "-" })
    }

    private static let dates: [String: GraphNode] = [
        "createdAt": .text("2026-01-02T03:04:05Z"), "publishedAt": .text("2026-01-02T03:04:05Z"),
        "updatedAt": .text("2026-01-02T03:04:05Z"),
    ]

    func variantNode(_ variant: SandboxStorefrontConfiguration.Variant) -> GraphNode {
        .object(
            "ProductVariant",
            // Built on demand only, because a cart may have hundreds of lines.
            variantMembers(variant).merging([
                "product": .computed { [self] _ in productNode(variant.product, deep: false) }
            ]) { $1 }
        )
    }

    private func variantMembers(_ variant: SandboxStorefrontConfiguration.Variant) -> [String: GraphNode] {
        [
            "id": .text(variant.id), "title": .text(variant.title), "sku": .text(Self.handle(variant.title)),
            "availableForSale": .flag(variant.stock != 0), "currentlyNotInStock": .flag(variant.stock == 0),
            "quantityAvailable": variant.stock.map { .integer($0) } ?? .null,
            "quantityRule": .object("QuantityRule", ["increment": .integer(1), "minimum": .integer(1)]),
            "price": .money(variant.price, configuration.currencyCode), "requiresShipping": .flag(true),
            "requiresComponents": .flag(false), "taxable": .flag(true), "weight": .leaf(.integer(0)),
            "weightUnit": .text("KILOGRAMS"), "image": image(variant.product),
            "selectedOptions": .list([
                .object("SelectedOption", ["name": .text("Variant"), "value": .text(variant.title)])
            ]), "metafields": Self.noMetafields,
        ]
    }

    private func image(_ title: String) -> GraphNode {
        let name = Self.handle(title)
        return .object(
            "Image",
            [
                "id": .text("gid://shopify/ProductImage/\(name)"), "altText": .text(title), "width": .integer(800),
                "height": .integer(600),
                "url": .computed { arguments in
                    let width = arguments["transform"]?["maxWidth"]?.number?.integer.map { "?width=\($0)" } ?? ""
                    return .text("https://cdn.example/\(name).jpg" + width)
                },
            ]
        )
    }

    /// A product; unless it is `deep`, its variants do not refer to it.
    func productNode(_ title: String, deep: Bool) -> GraphNode {
        let variants = configuration.variants.filter { $0.product == title }
        @Sendable func node(_ variant: SandboxStorefrontConfiguration.Variant) -> GraphNode {
            deep ? variantNode(variant) : GraphNode.object("ProductVariant", variantMembers(variant))
        }
        @Sendable func chosen(_ options: JSONValue?) -> GraphNode? {
            let wanted = options?.array?.first { $0["name"]?.string == "Variant" }?["value"]?.string
            return variants.first { $0.title == wanted }.map(node)
        }
        let members: [String: GraphNode] = [
            "id": .computed { [self] _ in .text(productID(title)) }, "handle": .text(Self.handle(title)),
            "title": .text(title),
            "vendor": .text("Sandbox"), "productType": .text(""), "isGiftCard": .flag(false),
            "requiresSellingPlan": .flag(false), "description": Self.description(of: title),
            "descriptionHtml": .text("<p>From the sandbox.</p>"), "tags": .list([]),
            "availableForSale": .flag(variants.contains { $0.stock != 0 }),
            "totalInventory": .integer(variants.reduce(0) { $0 + ($1.stock ?? 100) }),
            "variantsCount": .object("Count", ["count": .integer(variants.count), "precision": .text("EXACT")]),
            "seo": .object("SEO", ["title": .text(title)]), "featuredImage": image(title),
            "images": .connection("ImageConnection", "ImageEdge", [image(title)]),
            "options": .computed { [self] _ in .list([option(variants, of: title)]) },
            "priceRange": priceRange(variants.map(\.price)),
            "compareAtPriceRange": priceRange([]),
            "collections": .connection(
                "CollectionConnection",
                "CollectionEdge",
                deep ? [collectionHead] : [],
                with: ["totalCount": .text(deep ? "1" : "0")]
            ),
            "variants": .computed { arguments in
                let nodes = variants.map(node)
                guard
                    case .computed(let page) = GraphNode.connection(
                        "ProductVariantConnection",
                        "ProductVariantEdge",
                        nodes
                    )
                else { return .null }
                return page(arguments)
            },
            "selectedOrFirstAvailableVariant": .computed { arguments in
                chosen(arguments["selectedOptions"]) ?? (variants.first { $0.stock != 0 } ?? variants.first).map(node)
                    ?? .null
            },
            "variantBySelectedOptions": .computed { chosen($0["selectedOptions"]) ?? .null },
            "metafields": Self.noMetafields,
        ]
        return .object("Product", members.merging(Self.dates) { $1 })
    }

    private static func description(of title: String) -> GraphNode {
        .computed { arguments in
            let text = "\(title), from the sandbox."
            guard let length = arguments["truncateAt"]?.number?.integer, length >= 0, text.count > length else {
                return .text(text)
            }
            return .text(text.prefix(max(0, length - 1)) + "…")
        }
    }

    private func option(_ variants: [SandboxStorefrontConfiguration.Variant], of title: String) -> GraphNode {
        let id = "gid://shopify/ProductOption/\(Self.handle(title))"
        let values = variants.map { variant in
            GraphNode.object(
                "ProductOptionValue",
                ["id": .text("\(id)-\(Self.handle(variant.title))"), "name": .text(variant.title)]
            )
        }
        return .object("ProductOption", ["id": .text(id), "name": .text("Variant"), "optionValues": .list(values)])
    }

    private func priceRange(_ prices: [Int]) -> GraphNode {
        .object(
            "ProductPriceRange",
            [
                "minVariantPrice": .money(prices.min() ?? 0, configuration.currencyCode),
                "maxVariantPrice": .money(prices.max() ?? 0, configuration.currencyCode),
            ]
        )
    }

    var productTitles: [String] {
        var known = Set<String>()
        return configuration.variants.map(\.product).filter { known.insert($0).inserted }
    }

    func productID(_ title: String) -> String {
        "gid://shopify/Product/\((productTitles.firstIndex(of: title) ?? 0) + 1)"
    }

    // MARK: The one collection

    static let collectionID = "gid://shopify/Collection/1"

    private var collectionMembers: [String: GraphNode] {
        [
            "id": .text(Self.collectionID), "handle": .text("all"), "title": .text("Everything"),
            "description": .text("Everything that the sandbox has."),
            "descriptionHtml": .text("<p>Everything that the sandbox has.</p>"),
            "seo": .object("SEO", ["title": .text("Everything")]), "updatedAt": .text("2026-01-02T03:04:05Z"),
            "metafields": Self.noMetafields,
        ]
    }

    /// What a product shows of its collection.
    private var collectionHead: GraphNode {
        .object(
            "Collection",
            collectionMembers.merging([
                "products": .computed { [self] arguments in
                    let products = productTitles.map { productNode($0, deep: false) }
                    guard case .computed(let page) = productConnection(products) else { return .null }
                    return page(arguments)
                }
            ]) { $1 }
        )
    }

    var collectionNode: GraphNode {
        let products = productTitles.map { productNode($0, deep: true) }
        return .object(
            "Collection",
            collectionMembers.merging(["products": productConnection(products)]) { $1 }
        )
    }

    func productConnection(_ products: [GraphNode]) -> GraphNode {
        .connection("ProductConnection", "ProductEdge", products, with: ["filters": .list([])])
    }
}

extension GraphNode {
    /// A connection with further members beside its page.
    static func connection(
        _ type: String,
        _ edgeType: String,
        _ nodes: [GraphNode],
        with members: [String: GraphNode]
    ) -> GraphNode {
        .computed { arguments in
            guard case .computed(let compute) = connection(type, edgeType, nodes),
                case .object(let name, let page) = compute(arguments)
            else { return .null }
            return .object(name, page.merging(members) { $1 })
        }
    }
}
