import Foundation
import IdentityHTTP
import IdentityKit
import ShopifyGraphQL
import ShopifyStorefront
import TestGuides
import Testing

/// An operation of the guides that is in no published schema.
private enum GuideOperations {
    struct FetchAttempt: GraphQLOperation {
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
}

/// The compiled code of the pages; the test below compares it with the pages.
private enum Guide {
    typealias FetchAttempt = GuideOperations.FetchAttempt

    @Sendable static func show(_ value: some Sendable) {}
    @Sendable static func log(_ text: String) {}
    @Sendable static func redirect(_ text: String) {}

    // swift-format-ignore
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

    // swift-format-ignore
    static func storefront(
        token: Secret, ip: String, operation: ShopInfo, attempt: FetchAttempt, environment: IdentityEnvironment,
        sessions: SessionManager
    ) async throws {
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

    // swift-format-ignore
    static func migration(
        storefront: StorefrontClient, carts: CartAdapter, session: SessionID, cartID: CartID, variant: String,
        collectionID: String, productID: String, typed: String, attempt: String, ip: String
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
redirect(checkout.url.reveal().text)

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
}

@Suite("The guides of the Storefront client")
struct GuideTests {
    private static let here = URL(filePath: #filePath)
    private static let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    static let pages = ["Documentation/Using/Storefront.md", "Documentation/Using/MigratingFromTheMobileBuySDK.md"]
    static let schemas = ProcessInfo.processInfo.environment["IDENTITYKIT_SCHEMAS"]

    private func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: Self.root.appending(path: path)), as: UTF8.self)
    }

    private func blocks(_ language: String, of page: String) throws -> [String] {
        try text(page).components(separatedBy: "```\(language)\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
    }

    @Test("every Swift sample of the pages is part of the compiled code of this file", arguments: pages)
    func code(page: String) throws {
        let source = String(decoding: try Data(contentsOf: Self.here), as: UTF8.self)
        let blocks = try blocks("swift", of: page)
        #expect(blocks.count >= 6)
        for block in blocks { #expect(source.contains(block), "\(block)") }
    }

    @Test(
        "every GraphQL document of the migration guide is valid against every supported schema",
        .row("D17"),
        .enabled(if: schemas != nil, "set IDENTITYKIT_SCHEMAS to a folder with Shopify's schemas")
    )
    func documents() throws {
        let blocks = try blocks("graphql", of: "Documentation/Using/MigratingFromTheMobileBuySDK.md")
        #expect(!blocks.isEmpty)
        let documents = Dictionary(uniqueKeysWithValues: blocks.enumerated().map { ("\($0)", $1) })
        let report = try SchemaCheck.run(documents, schemas: #require(Self.schemas))
        #expect(report.isValid, "\(report.text)")
    }

    /// The rows of the migration guide's table.
    private func rows() throws -> [(id: String, tests: String)] {
        try text("Documentation/Using/MigratingFromTheMobileBuySDK.md").split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 3, cells[0].wholeMatch(of: /[A-E][0-9]{1,2}/) != nil else { return nil }
            return (cells[0], cells[2])
        }
    }

    @Test("the migration guide's table has each row from A1 to E9 once, in order")
    func everyRow() throws {
        let counts = [("A", 9), ("B", 13), ("C", 5), ("D", 17), ("E", 9)]
        let expected = counts.flatMap { letter, count in (1...count).map { "\(letter)\($0)" } }
        #expect(try rows().map(\.id) == expected)
    }

    @Test("every row of the migration guide's table names tests, and those tests are marked with the row")
    func rowsNameProofs() throws {
        let proofs = try GuideProofs(in: Self.root.appending(path: "Tests")).proofs
        for row in try rows() {
            let named = row.tests.matches(of: /`([^`]+)` in `([A-Za-z0-9+]+\.swift)`/)
            #expect(!named.isEmpty, "\(row.id) names no test")
            for match in named {
                let isMarked = proofs.contains {
                    $0.file == match.2 && $0.name == match.1 && $0.rows.contains(row.id)
                }
                #expect(isMarked, "\(row.id): no test in \(match.2) has this name and .row(\"\(row.id)\"): \(match.1)")
            }
        }
    }

    @Test("every test that is marked with a row is named in that row of the migration guide's table")
    func proofsStandInRows() throws {
        let rows = Dictionary(uniqueKeysWithValues: try rows().map { ($0.id, $0.tests) })
        let proofs = try GuideProofs(in: Self.root.appending(path: "Tests")).proofs
        #expect(proofs.count > 60)
        for proof in proofs {
            for row in proof.rows {
                let isNamed = rows[row]?.contains("`\(proof.name)` in `\(proof.file)`") == true
                #expect(isNamed, "\(row) does not name this test of \(proof.file): \(proof.name)")
            }
        }
    }
}
