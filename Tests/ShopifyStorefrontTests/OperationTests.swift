import Foundation
import IdentityHTTP
import IdentityKit
import IdentityTesting
import ShopifyGraphQL
import TestGuides
import Testing

@testable import ShopifyStorefront

@Suite struct OperationTests {
    static let documents = [
        "CartCreate": CartCreate.document.text, "CartLinesAdd": CartLinesAdd.document.text,
        "CartBuyerIdentityUpdate": CartBuyerIdentityUpdate.document.text,
        "CartDeliveryAddressesReplace": CartDeliveryAddressesReplace.document.text,
        "CartDeliveryAddressesRemove": CartDeliveryAddressesRemove.document.text, "CartQuery": CartQuery.document.text,
        "CartLinesUpdate": CartLinesUpdate.document.text, "CartLinesRemove": CartLinesRemove.document.text,
        "CartNoteUpdate": CartNoteUpdate.document.text, "CartAttributesUpdate": CartAttributesUpdate.document.text,
        "CartDiscountCodesUpdate": CartDiscountCodesUpdate.document.text,
        "CartGiftCardCodesAdd": CartGiftCardCodesAdd.document.text,
        "CartGiftCardCodesRemove": CartGiftCardCodesRemove.document.text,
        "CartSelectedDeliveryOptionsUpdate": CartSelectedDeliveryOptionsUpdate.document.text,
        "CartDeliveryAddressesAdd": CartDeliveryAddressesAdd.document.text,
        "CartDeliveryAddressesUpdate": CartDeliveryAddressesUpdate.document.text,
        "CartLinesQuery": CartLinesQuery.document.text, "CartDeliveryQuery": CartDeliveryQuery.document.text,
    ]
    static let schemas = ProcessInfo.processInfo.environment["IDENTITYKIT_SCHEMAS"]

    private func bytes(_ identity: CartBuyerIdentityInput) throws -> String {
        let id = try #require(CartID(rawValue: "gid://shopify/Cart/c?key=k"))
        let operation = CartBuyerIdentityUpdate(cartID: id, buyerIdentity: identity)
        let variables = operation.variables.json
        return String(decoding: try #require(variables["buyerIdentity"]).serialized, as: UTF8.self)
    }

    @Test("an input field is left out, sent as null, or sent with a value", .row("B9"))
    func inputFields() throws {
        #expect(try bytes(CartBuyerIdentityInput()) == "{}")
        #expect(try bytes(CartBuyerIdentityInput(email: .null)) == #"{"email":null}"#)
        let input = CartBuyerIdentityInput(
            companyLocationID: .null,
            countryCode: .set("US"),
            customerAccessToken: .set(CustomerAccessToken(issuedByShopify: Secret("t"), expiresAt: nil, issuer: "i")),
            phone: .set("+15551234567")
        )
        #expect(
            try bytes(input)
                == #"{"companyLocationId":null,"countryCode":"US","customerAccessToken":"t","phone":"+15551234567"}"#
        )
    }

    @Test("detaching sends explicit nulls")
    func detachedBytes() throws {
        #expect(
            try bytes(.detached) == #"{"companyLocationId":null,"customerAccessToken":null,"email":null,"phone":null}"#
        )
    }

    @Test("an address omits the values that Shopify would reject", .row("D3"))
    func addressInput() throws {
        var address = PostalAddress()
        address.givenName = "Ada"
        address.familyName = ""
        address.line1 = "1 Way"
        address.regionCode = "US-NY"
        address.countryCode = "us"
        address.phone = "(415) 555-0123"
        let operation = CartCreate(lines: [], addresses: [CartSelectableAddressInput(address)])
        let input = operation.variables.json["input"]
        let expected =
            #"{"delivery":{"addresses":[{"address":{"deliveryAddress":{"address1":"1 Way","countryCode":"US","firstName":"Ada","provinceCode":"NY"}},"oneTimeUse":true,"selected":true,"validationStrategy":"COUNTRY_CODE_ONLY"}]}}"#
        #expect(String(decoding: try #require(input).serialized, as: UTF8.self) == expected)
    }

    @Test(
        "an address's phone is sent only as E.164: a plus and 8 to 15 digits",
        arguments: [
            ("+1234567", false), ("+12345678", true), ("+123456789012345", true), ("+1234567890123456", false),
            ("12345678", false), ("+1234567a", false), ("+١٢٣٤٥٦٧٨", false),
        ]
    )
    func phone(text: String, isSent: Bool) {
        var address = PostalAddress()
        address.phone = text
        let sent = CartSelectableAddressInput(address).graphQLValue["address"]?["deliveryAddress"]?["phone"]
        #expect(sent == (isSent ? .string(text) : nil))
    }

    @Test(
        "an address's country is sent only as a code of two ASCII letters, in capitals",
        arguments: [("us", "US"), ("US", "US"), ("USA", nil), ("U1", nil), ("ß", nil), ("ﬁ", nil)]
    )
    func country(text: String, sent: String?) {
        var address = PostalAddress()
        address.countryCode = text
        let country = CartSelectableAddressInput(address).graphQLValue["address"]?["deliveryAddress"]?["countryCode"]
        #expect(country == sent.map { .string($0) })
    }

    @Test("country and language become variables of the context")
    func context() throws {
        let context = StorefrontContext(
            country: "DE",
            language: "PT_BR",
            preferredLocationID: "gid://l",
            buyer: CustomerAccessToken(issuedByShopify: Secret("t"), expiresAt: nil, issuer: "i")
        )
        #expect(context.variables["country"] == .string("DE") && context.variables["language"] == .string("PT_BR"))
        #expect(context.variables["preferredLocationId"] == .string("gid://l"))
        #expect(context.variables["buyer"] == .object(["customerAccessToken": .string("t")]))
    }

    @Test("a response with unknown enum values and unknown fields is read", .row("B4", "B10"))
    func unknownValues() throws {
        let text = #"""
            {"cartLinesAdd":{"cart":{"id":"gid://shopify/Cart/c","new":1,"totalQuantity":1,
             "cost":{"subtotalAmount":{"amount":"0.10","currencyCode":"XTS"},"totalAmount":{"amount":"1e3","currencyCode":"XTS"}},
             "buyerIdentity":{"countryCode":"ZZ"},"delivery":{"addresses":[]},
             "lines":{"nodes":[{"id":"l","quantity":1,"merchandise":{},"cost":{"totalAmount":{"amount":"1","currencyCode":"XTS"}}}],
             "pageInfo":{"hasNextPage":true}}},
             "userErrors":[{"code":"BRAND_NEW","field":null,"message":"?"},{"code":null,"field":["x"],"message":"?"}],
             "warnings":[{"code":"NEWER_STILL","message":"!","target":"t"}]}}
            """#
        let payload = try CartLinesAdd.output(GraphQLNode(parsing: Array(text.utf8)))
        #expect(payload.userErrors.map(\.code) == [CartErrorCode(rawValue: "BRAND_NEW"), nil])
        #expect(payload.warnings.map(\.code.rawValue) == ["NEWER_STILL"])
        let cart = try #require(payload.cart)
        #expect(cart.subtotal == Money(amount: "0.10", currencyCode: "XTS") && cart.total.amount == "1e3")
        #expect(cart.buyerIdentity.countryCode == "ZZ" && cart.lines.first?.merchandiseID == "" && cart.hasMoreLines)
        #expect(throws: IdentityError.self) { try payload.checked() }
    }

    @Test(
        "data of a wrong shape lead to an error with the path, and not to a crash",
        .row("B2", "B5"),
        arguments: [
            ("{}", "data.cart"), (#"{"cartLinesAdd":{"cart":null}}"#, "userErrors"),
            (#"{"cartLinesAdd":{"cart":{"id":7},"userErrors":[],"warnings":[]}}"#, "cart.id"),
            (
                #"{"cartLinesAdd":{"cart":{"id":"x","totalQuantity":1e99},"userErrors":[],"warnings":[]}}"#,
                "totalQuantity"
            ),
        ]
    )
    func wrongShapes(text: String, path: String) {
        let error = #expect(throws: (any Error).self) {
            try CartLinesAdd.output(GraphQLNode(parsing: Array(text.utf8)))
        }
        #expect(error.map { "\($0)".contains(path) } == true)
    }

    @Test("a cart id and a checkout URL are redacted when they are printed")
    func redaction() async throws {
        let canary = SecretCanary()
        let id = canary.plant("id")
        let url = canary.plant("url")
        let text = String.cart(
            id: "gid://shopify/Cart/c?key=\(id)",
            url: "https://s.example/\(url)?key=\(url)"
        )
        let answer = try #require(try CartQuery.output(GraphQLNode(parsing: Array(#"{"cart":\#(text)}"#.utf8))))
        #expect(canary.findings(in: answer).isEmpty)
        let cart = answer.cart
        #expect(canary.findings(in: cart.id).isEmpty)
        #expect(cart.id.rawValue.hasSuffix(id))
        #expect(answer.checkoutURL?.reveal().text == "https://s.example/\(url)?key=\(url)")
    }

    @Test("requests and responses print nothing about the buyer")
    func personalData() throws {
        let canary = SecretCanary()
        let email = canary.plant("email")
        let identity = CartBuyerIdentityInput(email: .set(email), phone: .set(canary.plant("phone")))
        let context = StorefrontContext(buyerIP: canary.plant("ip"))
        var address = PostalAddress()
        address.line1 = canary.plant("street")
        let create = CartCreate(lines: [], buyerIdentity: identity, addresses: [CartSelectableAddressInput(address)])
        let text = #"""
            {"cartCreate":{"cart":null,"userErrors":[{"code":"INVALID","field":["email"],"message":"\#(email) is bad"}],
             "warnings":[{"code":"X","message":"\#(email)","target":"\#(email)"}]}}
            """#
        let payload = try CartCreate.output(GraphQLNode(parsing: Array(text.utf8)))
        let refusal = #expect(throws: IdentityError.self) { try payload.checked() }
        for value in [create, context, payload, try #require(refusal)] as [Any] {
            #expect(canary.findings(in: value).isEmpty)
        }
        #expect(refusal.map { "\($0.cause ?? $0)" } == "INVALID at email")
    }

    @Test("no document contains a value: every value is a variable", .row("B1"))
    func constantDocuments() {
        for document in Self.documents.values { #expect(!document.contains("\"") && !document.contains("gid:")) }
    }

    @Test(
        "every document is valid against every supported schema",
        .enabled(if: schemas != nil, "set IDENTITYKIT_SCHEMAS to a folder with Shopify's schemas")
    )
    func validDocuments() throws {
        let report = try SchemaCheck.run(Self.documents, schemas: #require(Self.schemas))
        #expect(report.isValid, "\(report.text)")
        #expect(report.text.contains("18 documents against 4 schemas"), "\(report.text)")
    }
}
