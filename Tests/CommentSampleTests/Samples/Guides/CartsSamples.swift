import IdentityHTTP
import IdentityKit
import ShopifyGraphQL
import ShopifyStorefront

// swift-format-ignore
extension App {
    func cartsPage() async throws {
        let storefront = StorefrontClient(
            configuration: try StorefrontConfiguration(
                shopDomain: "example.myshopify.com",
                authentication: .privateToken(storefrontToken)),        // or .publicToken(text), .tokenless
            environment: environment)
        let carts = CartAdapter(client: storefront, sessions: sessions, store: store)    // keep it; the manager holds it weakly

        let context = StorefrontContext(buyerIP: ip, country: "US", language: "EN")      // per call
        let cart = try await carts.add([CartLineInput(merchandiseID: variant, quantity: 2)], for: session.id, in: context)
        let handoff = try await carts.checkout(for: session.id, in: context)
        redirect(to: handoff.url.reveal().text)                                          // now, once, into no log
        _ = cart
    }

    func cartsPageGuests(_ lines: [CartLineInput], in context: StorefrontContext) async throws {
        let guest = try await sessions.beginGuest()                             // a row in the store; its id goes into the cookie
        try await carts.add(lines, for: guest.id, in: context)
        // … the buyer signs in; the login has created a session with a new id …
        let merge = try await carts.mergeGuestCart(of: guest.id, into: session.id, merge: .intoCustomerCart, in: context)
        // … and signs out again; what is in the cart goes on as a guest's …
        let end = try await carts.logout(session.id, in: context)               // end.guest, end.logout.browserURL, end.problem
        _ = (merge, end)
    }

    func cartsPageQuery(in context: StorefrontContext) async throws {
        struct ShopName: GraphQLOperation {
            static let document = GraphQLDocument(
                name: "ShopName", kind: .query,
                text: "query ShopName($language: LanguageCode) @inContext(language: $language) { shop { name } }",
                contextVariables: ["language"], isPersonal: false)

            var variables: GraphQLInputObject { GraphQLInputObject() }         // the client adds the language from the context

            struct Output: GraphQLReadable {
                let shop: Shop

                init(_ node: GraphQLNode) throws(GraphQLReadingError) { shop = try node.field("shop") }
            }

            struct Shop: GraphQLReadable {
                let name: String

                init(_ node: GraphQLNode) throws(GraphQLReadingError) { name = try node.field("name") }
            }
        }

        let result = try await storefront.execute(ShopName(), in: context)      // .data, .errors, .metadata
        _ = result
    }
}
