import Foundation
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentitySandbox
import IdentityTesting
import ShopifyGraphQL
import StorefrontSandbox
import TestDoubles
import Testing

@testable import IdentityShopify

@Suite("The Customer Account API")
struct ProfileTests {
    @Test("the profile request has the token without Bearer, the configured version and the SDK's headers")
    func request() async throws {
        let shop = try await Shop(.publicWeb) { $0.endpointShape = .accountDomain }
        let provider = try shop.provider { $0.apiVersion = "2026-04" }
        let tokens = try await shop.login(provider)
        let buyer = try await provider.buyerProfile(for: tokens)
        #expect(buyer.isSamePerson(as: tokens.buyer))
        #expect(buyer.givenName == "Ada")
        #expect(buyer.familyName == "Lovelace")
        #expect(buyer.displayName == "Ada Lovelace")
        #expect(buyer.phone == Buyer.Contact("+14155550123", isVerified: false))
        #expect(buyer.email == Buyer.Contact("ada@example.com", isVerified: true))
        let request = try #require(shop.shopify.requests(to: .api).first)
        #expect(request.path == "/customer/api/2026-04/graphql")
        #expect(request.header("Authorization") == tokens.accessToken.reveal())
        #expect(request.header("Content-Type") == "application/json")
        #expect(request.header("Origin") == "https://app.example")
        #expect(request.header("User-Agent") == "IdentityKit/0.1")
        let body = try JSONValue(parsing: request.body)
        #expect(body.object?.members.map(\.name) == ["query"])
    }

    @Test("profile fields that Shopify withholds keep the values of the login, also if the response has errors")
    func protectedData() async throws {
        let shop = try await Shop()
        let provider = try shop.provider()
        let tokens = try await shop.login(provider)
        let body = """
            {"data":{"customer":{"id":"gid://shopify/Customer/1","firstName":null,"lastName":null,"displayName":"",
            "emailAddress":null,"phoneNumber":null}},
            "errors":[{"message":"not approved","extensions":{"code":"ACCESS_DENIED"}}]}
            """
        shop.shopify.planFault(.answer(status: 200, body: body), on: .api)
        #expect(try await provider.buyerProfile(for: tokens) == tokens.buyer)
    }

    @Test("an e-mail address that differs from the ID token's is not verified")
    func otherAddress() async throws {
        let shop = try await Shop()
        let provider = try shop.provider()
        let tokens = try await shop.login(provider)
        let body = #"{"data":{"customer":{"id":"1","emailAddress":{"emailAddress":"Ada@example.com"}}}}"#
        shop.shopify.planFault(.answer(status: 200, body: body), on: .api)
        #expect(
            try await provider.buyerProfile(for: tokens).email == Buyer.Contact("Ada@example.com", isVerified: false)
        )
    }

    @Test(
        "each error of the API leads to its kind and code",
        arguments: [
            (
                200, #"{"errors":[{"message":"x","extensions":{"code":"THROTTLED"}}]}"#, IdentityError.Kind.retryLater,
                IdentityError.Code.throttled
            ),
            (
                200, #"{"errors":{"message":"x","extensions":{"code":"INTERNAL_SERVER_ERROR"}}}"#, .retryLater,
                .providerUnavailable
            ),
            (
                200, #"{"errors":[{"message":"x","extensions":{"code":"SHOP_INACTIVE"}}],"data":null}"#, .configuration,
                .shopUnavailable
            ),
            (
                200, #"{"errors":[{"message":"x","extensions":{"code":"ACCESS_DENIED"}}],"data":{"customer":null}}"#,
                .rejected, .insufficientScope
            ),
            (200, #"{"errors":"User does not have access"}"#, .rejected, .insufficientScope),
            (
                200, #"{"errors":[{"message":"No field x","locations":[{"line":1,"column":2}]}]}"#, .rejected,
                .graphQLErrors
            ),
            (200, #"{"data":{"customer":null}}"#, .rejected, .unexpectedResponse),
            (200, "<html>", .retryLater, .unexpectedResponse),
            (400, #"{"errors":{"query":"Required parameter missing"}}"#, .rejected, .graphQLErrors),
            (401, #"{"errors":[{"message":"Invalid token. Decode Error."}]}"#, .retryLater, .accessTokenRefused),
            (402, "", .configuration, .shopUnavailable), (403, "<html>", .configuration, .requestBlocked),
            (404, "", .configuration, .customerAccountRefused), (423, "", .configuration, .shopUnavailable),
            (429, "", .retryLater, .throttled), (502, "<html>", .retryLater, .providerUnavailable),
        ]
    )
    func errors(status: Int, body: String, kind: IdentityError.Kind, code: IdentityError.Code) async throws {
        let shop = try await Shop()
        let provider = try shop.provider()
        let tokens = try await shop.login(provider)
        shop.shopify.planFault(.answer(status: status, body: body), on: .api)
        let error = await failure { try await provider.buyerProfile(for: tokens) }
        #expect(error?.kind == kind)
        #expect(error?.code == code)
        if body.contains("does not have access") {
            #expect(error?.hint?.contains("customer-account-api:full") == true)
            #expect(error?.providerResponse?.errorDescription == "User does not have access")
        }
        if body.contains("Decode") {
            #expect(error?.providerResponse?.errorDescription == "Invalid token. Decode Error.")
        }
    }

    @Test("neither the API of a shop nor its carts get a token of another issuer")
    func issuerChanged() async throws {
        let shop = try await Shop()
        let provider = try shop.provider()
        var tokens = try await shop.login(provider)
        // The second issuer is another shop's, which the configuration accepts because it has no shopID.
        for issuer in ["https://other.example", "https://shopify.com/authentication/999"] {
            tokens.buyer.issuer = issuer
            #expect(await failure { try await provider.buyerProfile(for: tokens) }?.code == .issuerChanged)
            #expect(await failure { try await provider.cartClaim(for: tokens) }?.code == .issuerChanged)
        }
        #expect(shop.shopify.requests(to: .api).isEmpty)
    }

    @Test("a request with an expired access token fails with access_token_refused, and succeeds after a refresh")
    func expiredToken() async throws {
        let shop = try await Shop()
        let provider = try shop.provider()
        let tokens = try await shop.login(provider)
        shop.shopify.expireAccessTokens()
        #expect(await failure { try await provider.buyerProfile(for: tokens) }?.code == .accessTokenRefused)
        let refreshed = try await provider.refresh(tokens)
        #expect(try await provider.buyerProfile(for: refreshed).givenName == "Ada")
    }

    @Test("if the provider knows no URL of the API, the profile is the buyer of the login")
    func noAddress() async throws {
        let shop = try await Shop()
        let loggedIn = try shop.provider()
        let tokens = try await shop.login(loggedIn)
        let whole = try shop.provider {
            let endpoint = try? HTTPURL("https://id.example/x")
            ($0.shopDomain, $0.issuers) = (nil, [Shop.issuer])
            ($0.endpoints.authorization, $0.endpoints.token, $0.endpoints.jwks) = (endpoint, endpoint, endpoint)
        }
        #expect(try await whole.buyerProfile(for: tokens) == tokens.buyer)
    }

    static let schemas = ProcessInfo.processInfo.environment["IDENTITYKIT_SCHEMAS"]

    /// Shopify's schemas are not part of this repository: `IDENTITYKIT_SCHEMAS` names a folder that contains them, and `python3`
    /// needs the module `graphql`.
    @Test(
        "the document is valid against Shopify's own schema",
        .enabled(if: schemas != nil, "set IDENTITYKIT_SCHEMAS to a folder with Shopify's schemas")
    )
    func schema() throws {
        let folder = try #require(Self.schemas)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
            $0.hasPrefix("customer_") && $0.hasSuffix(".json.gz")
        }
        try #require(!files.isEmpty)
        let script = """
            import gzip, json, sys
            from graphql import build_client_schema, parse, validate
            schema = build_client_schema(json.load(gzip.open(sys.argv[1]))["data"])
            sys.exit("; ".join(e.message for e in validate(schema, parse(sys.argv[2]))) or 0)
            """
        for file in files {
            let python = Process()
            python.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            python.arguments = ["python3", "-c", script, "\(folder)/\(file)", CustomerIdentityQuery.document.text]
            try python.run()
            python.waitUntilExit()
            #expect(python.terminationStatus == 0, "\(file)")
        }
    }
}
