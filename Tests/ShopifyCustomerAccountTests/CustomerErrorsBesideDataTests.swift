import IdentityKit
import IdentitySandbox
import ShopifyCustomerAccount
import ShopifyGraphQL
import StorefrontSandbox
import Testing

@Suite("GraphQL errors beside the data of a change of the customer")
struct CustomerErrorsBesideDataTests {
    @Test(
        "an added or removed address without result has an unknown outcome, with Shopify's error as the cause",
        arguments: [
            ("INTERNAL_SERVER_ERROR", IdentityError.Code.providerUnavailable),
            ("ACCESS_DENIED", .customerAccountRefused),
        ]
    )
    func unknownOutcome(code: String, cause: IdentityError.Code) async throws {
        try await Shop.with { shop in
            plan("customerAddressCreate", "customerAddress", code, in: shop)
            let added = await #expect(throws: IdentityError.self) {
                try await shop.account.add(CustomerAddressInput(city: .set("London")))
            }
            #expect(added?.code == .outcomeUnknown && added?.kind == .retryLater)
            #expect((added?.cause as? IdentityError)?.code == cause)
            plan("customerAddressDelete", "deletedAddressId", code, in: shop)
            let removed = await #expect(throws: IdentityError.self) { try await shop.account.remove(address: "a") }
            #expect(removed?.code == .outcomeUnknown)
            #expect((removed?.cause as? IdentityError)?.code == cause)
        }
    }

    @Test("a repeatable change without result throws the error for a missing scope")
    func repeatable() async throws {
        try await Shop.with { shop in
            plan("customerUpdate", "customer", "ACCESS_DENIED", in: shop)
            let profile = await #expect(throws: IdentityError.self) {
                try await shop.account.update(CustomerProfileInput())
            }
            #expect(profile?.code == .customerAccountRefused && profile?.kind == .configuration)
            plan("customerAddressUpdate", "customerAddress", "ACCESS_DENIED", in: shop)
            let address = await #expect(throws: IdentityError.self) { try await shop.account.setDefaultAddress("a") }
            #expect(address?.code == .customerAccountRefused)
        }
    }

    @Test("a change without result and without errors is an unexpected response")
    func empty() async throws {
        try await Shop.with { shop in
            plan("customerAddressDelete", "deletedAddressId", nil, in: shop)
            let error = await #expect(throws: IdentityError.self) { try await shop.account.remove(address: "a") }
            #expect(error?.code == .unexpectedResponse && error?.providerResponse?.status == 200)
        }
    }

    @Test("a rejected change has the request id of the response")
    func requestID() async throws {
        try await Shop.with { shop in
            let error = await #expect(throws: IdentityError.self) {
                try await shop.account.add(CustomerAddressInput(phoneNumber: .set("12")))
            }
            #expect(error?.code == .customerUserErrors)
            #expect(error?.providerResponse?.traceID != nil)
        }
    }

    /// Lets the API respond once with a mutation's payload whose value is null, without user errors, and with a GraphQL error of the code.
    private func plan(_ mutation: String, _ value: String, _ code: String?, in shop: Shop) {
        let data = #""data":{"\#(mutation)":{"\#(value)":null,"userErrors":[]}}"#
        let errors = code.map {
            #","errors":[{"message":"x","path":["\#(mutation)","\#(value)"],"extensions":{"code":"\#($0)"}}]"#
        }
        shop.sandbox.shopify.planFault(.answer(status: 200, body: "{\(data)\(errors ?? "")}"), on: .api)
    }
}
