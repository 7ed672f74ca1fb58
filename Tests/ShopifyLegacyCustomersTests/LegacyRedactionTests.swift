import IdentityKit
import ShopifyGraphQL
import ShopifyLegacyCustomers
import Testing

@Suite("Redacted values of legacy customers")
struct LegacyRedactionTests {
    @Test("passwords, tokens and addresses are never printed")
    func redaction() throws {
        let canary = Secret("canary")
        let values: [Any] = [
            LegacyCustomerCreateInput(email: "canary@example.com", password: canary),
            LegacyCustomerTokenCreate(input: LegacyCustomerTokenInput(email: "canary@example.com", password: canary)),
            LegacyCustomerRecover(email: "canary@example.com"), LegacyCustomerAddressInput(address1: .set("canary")),
            LegacyCustomerTokenCreateWithMultipass(multipassToken: canary),
        ]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!"\(value)\(String(reflecting: value))\(dumped)".contains("canary"))
        }
    }
}
