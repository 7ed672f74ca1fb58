internal import IdentityKit
internal import IdentitySandbox

extension SandboxStorefront {
    var catalogueQueries: [String: GraphExecutor.Resolver] {
        productQueries.merging(searchQueries) { $1 }.merging(shopQueries) { $1 }
    }

    private var productQueries: [String: GraphExecutor.Resolver] {
        [
            "product": { [self] call in product(call.arguments) },
            "productByHandle": { [self] call in product(call.arguments) },
            "products": { [self] call in
                let titles = arranged(found(call.arguments["query"]), call.arguments)
                return .connection(titles.map { productNode($0, deep: true) }, with: ["filters": .list([])])
            },
            "productRecommendations": { [self] call in
                let wanted = title(call.arguments["productId"], call.arguments["productHandle"])
                return .list(recommendations(for: wanted).map { productNode($0, deep: true) })
            },
            "productTags": { [self] _ in texts(configuration.products.flatMap(\.tags)) },
            "productTypes": { [self] _ in texts(configuration.products.map(\.type)) },
        ]
    }

    private var searchQueries: [String: GraphExecutor.Resolver] {
        [
            "collection": { [self] call in collection(call.arguments) },
            "collectionByHandle": { [self] call in collection(call.arguments) },
            "collections": { [self] _ in
                .connection(
                    collections.map { collectionNode($0, deep: true) },
                    with: ["totalCount": .text(String(collections.count))]
                )
            },
            "search": { [self] call in search(call.arguments) },
            "predictiveSearch": { [self] call in predictiveSearch(call.arguments) },
            "node": { [self] call in node(id: call.arguments.text("id")) },
            "nodes": { [self] call in
                .list(call.arguments.list("ids").map { node(id: $0.string ?? "") })
            },
        ]
    }

    private func title(_ id: JSONValue?, _ handle: JSONValue?) -> String? {
        productTitles.first { id?.string == productID($0) || handle?.string == Self.handle($0) }
    }

    private func product(_ arguments: JSONObject) -> GraphNode {
        title(arguments["id"], arguments["handle"]).map { productNode($0, deep: true) } ?? .null
    }

    private func collection(_ arguments: JSONObject) -> GraphNode {
        let (id, handle) = (arguments["id"]?.string, arguments["handle"]?.string)
        let found = collections.enumerated().first { position, collection in
            collection.id == id || handle == (position == 0 ? "all" : Self.handle(collection.title))
        }
        return found.map { collectionNode($0.element, deep: true) } ?? .null
    }

    private func texts(_ texts: [String]) -> GraphNode {
        .connection(Set(texts).sorted().map { .text($0) })
    }

    /// Returns the titles of at most ten other products, as at Shopify; products of the same type come first.
    private func recommendations(for wanted: String?) -> [String] {
        let type = wanted.map { facts(of: $0).type }
        let others = productTitles.filter { $0 != wanted }
        func hasType(_ title: String) -> Bool { facts(of: title).type == type }
        return Array((others.filter(hasType) + others.filter { !hasType($0) }).prefix(10))
    }

    private func found(_ query: JSONValue?) -> [String] {
        let search = CatalogueSearch(query?.string ?? "")
        return productTitles.filter { search.matches(facts(of: $0)) }
    }

    /// Filters other than `tag`, `productType` and `available`, and sort keys other than `TITLE` and `PRICE`, have no effect.
    func arranged(_ titles: [String], _ arguments: JSONObject) -> [String] {
        func price(_ title: String) -> Int {
            configuration.variants.lazy.filter { $0.product == title }.map(\.price).min() ?? 0
        }
        var titles = titles.filter { title in
            arguments.list("filters").allSatisfy { filter in
                let facts = facts(of: title)
                if let tag = filter["tag"]?.string, !facts.tags.contains(tag) { return false }
                if let type = filter["productType"]?.string, facts.type != type { return false }
                guard let wanted = filter["available"]?.bool else { return true }
                return wanted == isAvailable(title)
            }
        }
        switch arguments["sortKey"]?.string {
        case "TITLE": titles.sort()
        case "PRICE": titles.sort { (price($0), $0) < (price($1), $1) }
        default: break
        }
        return arguments["reverse"]?.bool == true ? titles.reversed() : titles
    }

    private func isAvailable(_ title: String) -> Bool {
        configuration.variants.contains { $0.product == title && $0.stock != 0 }
    }

    func filters(for titles: [String]) -> GraphNode {
        let available = titles.count(where: isAvailable)
        func value(_ flag: Bool, _ label: String, _ count: Int) -> GraphNode {
            [
                "id": .text("filter.v.availability.\(flag ? 1 : 0)"), "label": .text(label), "count": .integer(count),
                // As at Shopify, `input` is a string that contains JSON.
                "input": .text("{\"available\":\(flag)}"),
            ]
        }
        return .list([
            [
                "id": .text("filter.v.availability"), "label": .text("Availability"), "type": .text("LIST"),
                "presentation": .text("TEXT"),
                "values": .list([
                    value(true, "In stock", available), value(false, "Out of stock", titles.count - available),
                ]),
            ]
        ])
    }

    private func search(_ arguments: JSONObject) -> GraphNode {
        let types = arguments["types"]?.array?.compactMap(\.string)
        let titles = types.map { $0.contains("PRODUCT") } ?? true ? found(arguments["query"]) : []
        return .connection(
            titles.map { productNode($0, deep: true) },
            with: ["totalCount": .integer(titles.count), "productFilters": .list([])]
        )
    }

    private func predictiveSearch(_ arguments: JSONObject) -> GraphNode {
        let limit = min(max(1, arguments["limit"]?.number?.integer ?? 10), 10)
        let types = arguments["types"]?.array?.compactMap(\.string)
        func wants(_ type: String) -> Bool { types.map { $0.contains(type) } ?? true }
        let titles = found(arguments["query"]).prefix(limit)
        let suggestions = titles.map { title -> GraphNode in
            ["text": .text(title.lowercased()), "styledText": .text("<mark>\(title.lowercased())</mark>")]
        }
        let query = arguments.text("query").lowercased()
        return [
            "products": .list(wants("PRODUCT") ? titles.map { productNode($0, deep: true) } : []),
            "queries": .list(wants("QUERY") ? suggestions : []),
            "collections": .list(
                wants("COLLECTION")
                    ? collections.filter { $0.title.lowercased().contains(query) }
                        .map { collectionNode($0, deep: true) } : []
            ),
            "articles": .list([]), "pages": .list([]),
        ]
    }

    private func node(id: String) -> GraphNode {
        if let variant = configuration.variants.first(where: { $0.id == id }) { return variantNode(variant) }
        if let title = productTitles.first(where: { productID($0) == id }) { return productNode(title, deep: true) }
        if id == Self.shopID { return shopNode }
        if id == Self.legacyOrderID { return Self.legacyOrder }
        return collections.first { $0.id == id }.map { collectionNode($0, deep: true) } ?? .null
    }

    private static let shopID = "gid://shopify/Shop/1"

    private var shopQueries: [String: GraphExecutor.Resolver] {
        [
            "shop": { [self] _ in shopNode }, "paymentSettings": { [self] _ in paymentSettings },
            "localization": { [self] call in localization(call.context) },
            "publicApiVersions": { _ in
                .list(
                    ShopifyVersions.supported.map { version in
                        ["handle": .text(version), "displayName": .text(version), "supported": .flag(true)]
                    }
                )
            },
        ]
    }

    private var shopNode: GraphNode {
        // The shop has two of the policies that a shop can have; the fields of the other policies are null.
        func policy(_ number: Int, _ title: String, _ body: String) -> GraphNode {
            let handle = Self.handle(title)
            return [
                "id": .text("gid://shopify/ShopPolicy/\(number)"), "title": .text(title), "handle": .text(handle),
                "body": .text("<p>\(body)</p>"), "url": .text("\(origin)/policies/\(handle)"),
            ]
        }
        return [
            "__typename": .text("Shop"),
            "id": .text(Self.shopID), "name": .text("Sandbox"), "moneyFormat": .text("${{amount}}"),
            "shipsToCountries": .list([.text("US"), .text("CA"), .text("DE")]),
            "privacyPolicy": policy(1, "Privacy policy", "The sandbox stores no data permanently."),
            "refundPolicy": policy(2, "Refund policy", "The sandbox takes everything back."),
            "customerAccountUrl": .text("\(origin)/account"),
            "primaryDomain": ["host": .text("127.0.0.1"), "sslEnabled": .flag(false), "url": .text(origin)],
            "paymentSettings": paymentSettings,
            "metafields": Self.noMetafields,
        ]
    }

    private var paymentSettings: GraphNode {
        [
            "currencyCode": .text(configuration.currencyCode), "countryCode": .text("US"),
            "enabledPresentmentCurrencies": .list([.text(configuration.currencyCode)]),
            "acceptedCardBrands": .list([.text("VISA"), .text("MASTERCARD")]),
            "cardVaultUrl": .text("https://vault.example/sessions"), "supportedDigitalWallets": .list([]),
        ]
    }

    private func localization(_ context: JSONObject) -> GraphNode {
        func language(_ code: String) -> GraphNode {
            ["isoCode": .text(code), "name": .text(code), "endonymName": .text(code)]
        }
        func country(_ code: String) -> GraphNode {
            let currency = configuration.currencyCode
            return [
                "isoCode": .text(code), "name": .text(code), "unitSystem": .text("METRIC_SYSTEM"),
                "defaultLanguage": language("EN"), "availableLanguages": .list([language("EN")]),
                "currency": ["isoCode": .text(currency), "name": .text(currency), "symbol": .text(currency)],
            ]
        }
        let languages = [context["language"]?.string ?? "EN", "EN"].unique
        let countries = [context["country"]?.string ?? "US", "US"].unique
        return [
            "country": country(countries[0]), "language": language(languages[0]),
            "availableCountries": .list(countries.map(country)),
            "availableLanguages": .list(languages.map(language)),
        ]
    }
}
