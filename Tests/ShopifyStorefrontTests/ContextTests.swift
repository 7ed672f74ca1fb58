import IdentityHTTP
import IdentityKit
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import TestGuides
import Testing

@Suite struct ContextTests {
    private static let token = CustomerAccessToken(issuedByShopify: Secret("shcat-1"), expiresAt: nil, issuer: "i")

    private func variables<Document: ProbeDocument>(
        _ document: Document.Type,
        _ context: StorefrontContext,
        client own: StorefrontContext = StorefrontContext()
    ) async throws -> String {
        let storefront = try await FakeStorefront.start([.mugs])
        _ = try await storefront.client(context: own).execute(Probe<Document>(), in: context)
        let call = try #require(storefront.calls.first)
        #expect(call.document == Document.document.text)
        return String(decoding: JSONValue.object(call.variables).serialized, as: UTF8.self)
    }

    @Test("a text that is no code, such as a line for the log, is not in a context's description")
    func description() {
        let context = StorefrontContext(buyerIP: "203.0.113.7", country: "CA", language: "PT_BR")
        #expect("\(context)" == "StorefrontContext(buyerIP: <private>, CA, PT_BR)")
        let forged = StorefrontContext(country: "CA\nERROR the buyer paid", language: "")
        #expect("\(forged)" == "StorefrontContext(buyerIP: none, …, …)")
    }

    @Test(
        "exactly the arguments of @inContext are sent as variables",
        .row("A8"),
        arguments: [
            (StorefrontContext(country: "DE"), #"{"country":"DE"}"#),
            (StorefrontContext(language: "PT_BR"), #"{"language":"PT_BR"}"#),
            (
                StorefrontContext(preferredLocationID: "gid://shopify/Location/1"),
                #"{"preferredLocationId":"gid://shopify/Location/1"}"#
            ),
            (StorefrontContext(buyer: token), #"{"buyer":{"customerAccessToken":"shcat-1"}}"#),
            (
                StorefrontContext(buyer: token, buyerCompanyLocationID: "gid://shopify/CompanyLocation/2"),
                #"{"buyer":{"customerAccessToken":"shcat-1","companyLocationId":"gid://shopify/CompanyLocation/2"}}"#
            ),
            (StorefrontContext(buyerCompanyLocationID: "gid://shopify/CompanyLocation/2"), "{}"),
            (
                StorefrontContext(visitorConsent: VisitorConsent(analytics: true, marketing: false)),
                #"{"visitorConsent":{"analytics":true,"marketing":false}}"#
            ),
            (
                StorefrontContext(visitorConsent: VisitorConsent(preferences: true, saleOfData: false)),
                #"{"visitorConsent":{"preferences":true,"saleOfData":false}}"#
            ),
        ]
    )
    func arguments(context: StorefrontContext, expected: String) async throws {
        #expect(try await variables(Contextual.self, context) == expected)
    }

    @Test(
        "queries of products declare country, language, preferred location and buyer as variables of the context",
        arguments: [
            NodeByID.document, NodesByID.document, NodePair.document, ProductComparison.document,
            ProductRecommendations.document, PredictiveSearchQuery.document, SearchPage.document, ProductByID.document,
            ProductByHandle.document, ProductVariantsPage.document, ProductsPage.document, CollectionProducts.document,
            CollectionsWithProducts.document,
        ]
    )
    func products(document: GraphQLDocument) {
        #expect(document.contextVariables == ["country", "language", "preferredLocationId", "buyer"])
    }

    @Test("only the context variables that the document declares are sent")
    func undeclared() async throws {
        let context = StorefrontContext(country: "DE", language: "DE", buyer: Self.token)
        #expect(try await variables(Shared.self, context) == #"{"country":"DE"}"#)
        #expect(try await variables(Personal.self, context) == "{}")
    }

    @Test("a member of the context that the document does not declare is reported, once for the document")
    func unsentMember() async throws {
        let storefront = try await FakeStorefront.start([.mugs])
        let recorder = EventRecorder()
        let client = try storefront.client(context: StorefrontContext(country: "DE"), observers: [recorder])
        let context = StorefrontContext(language: "DE", visitorConsent: VisitorConsent(analytics: true))
        for _ in 0..<2 { _ = try await client.execute(Probe<Shared>(), in: context) }
        _ = try await client.execute(Probe<Contextual>(), in: context)
        let unsent: GraphQLEvent.Kind = .contextNotSent(["language", "visitorConsent"])
        #expect(recorder.kinds == [unsent, .finished(nil), .finished(nil), .finished(nil)])
        #expect(unsent.name == "context_not_sent" && recorder.events[0].operation == "Shared")
    }

    @Test("a call's context overrides the client's member by member")
    func overriding() async throws {
        let own = StorefrontContext(country: "CA", language: "FR")
        #expect(
            try await variables(Contextual.self, StorefrontContext(), client: own)
                == #"{"country":"CA","language":"FR"}"#
        )
        #expect(
            try await variables(Contextual.self, StorefrontContext(language: "EN"), client: own)
                == #"{"country":"CA","language":"EN"}"#
        )
    }

    @Test("a call with its own buyer does not use the company location of the client's buyer")
    func overridingBuyer() {
        let own = StorefrontContext(buyer: Self.token, buyerCompanyLocationID: "l")
        #expect(own.overridden(by: StorefrontContext(buyer: Self.token)).buyerCompanyLocationID == nil)
        #expect(own.overridden(by: StorefrontContext(buyerIP: "::1")).buyerCompanyLocationID == "l")
    }

    @Test("an operation's own variables are not overridden by the context")
    func ownVariables() async throws {
        let storefront = try await FakeStorefront.start([.mugs])
        var operation = Probe<Shared>()
        operation.variables.set("country", "JP")
        _ = try await storefront.client().execute(operation, in: StorefrontContext(country: "DE"))
        #expect(storefront.calls.first?.variables["country"] == .string("JP"))
    }
}
