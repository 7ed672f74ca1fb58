import IdentityBolt
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import TestDoubles
import Testing

@Suite("Bolt's account")
struct AccountTests {
    private static let path = "/v1/account"

    private func signedIn(
        _ authentication: BoltClientAuthentication = .confidential(apiKey: Secret(FakeBolt.apiKey)),
        _ change: (inout JSONObject) -> Void = { _ in }
    ) async throws -> (bolt: FakeBolt, provider: BoltProvider, tokens: TokenSet) {
        let bolt = try await FakeBolt()
        let provider = try bolt.provider(authentication)
        let token = try bolt.idToken(change)
        bolt.answer("/v1/oauth/token", try bolt.tokens { $0["id_token"] = .string(token) })
        return (bolt, provider, try await bolt.signIn(provider))
    }

    private static let account = """
        {"has_bolt_account":true,
         "profile":{"first_name":"Ada","last_name":"Lovelace","email":"ada@example.com","phone":"","metadata":{"a":1}},
         "addresses":[
           {"id":"1","street_address1":"2 Old St","locality":"Austin","region":"Texas","country_code":"us","default":false},
           {"id":"2","street_address1":"1 Way","street_address2":"","street_address3":"Floor 3","street_address4":"Door 4",
            "locality":"New York","region":"New York","region_code":"US-NY","postal_code":"10001","country_code":"US",
            "name":"Grace B Hopper","first_name":"Grace","company":null,"phone_number":"415","priority":"primary"},
           {"id":"3","region":"CA","country_code":"USA","phone_number":"+442071838750"}],
         "payment_methods":[{"id":"p","last4":"4242"}]}
        """

    @Test("the account request has the access token and both keys, and the preferred address comes first")
    func profile() async throws {
        let (bolt, provider, tokens) = try await signedIn()
        bolt.answer(Self.path, .message(status: 200, body: Array(Self.account.utf8)))
        let buyer = try await provider.buyerProfile(for: tokens)
        let request = try #require(bolt.requests(to: Self.path).first)
        #expect(request.method == "GET")
        #expect(request.header("authorization") == "Bearer AT1.sig")
        #expect(request.header("x-api-key") == "APIKEY")
        #expect(request.header("x-publishable-key") == "aaa.bbb.ccc")
        #expect(buyer.isSamePerson(as: tokens.buyer))
        #expect(buyer.email == Buyer.Contact("ada@example.com", isVerified: true))
        #expect(buyer.addresses.count == 3)
        let first = try #require(buyer.addresses.first)
        #expect(first.givenName == "Grace")
        #expect(first.familyName == "Lovelace")
        #expect(first.line1 == "1 Way")
        #expect(first.line2 == "Floor 3, Door 4")
        #expect(first.regionCode == "NY")
        #expect(first.countryCode == "US")
        #expect(first.phone == nil)
        #expect(buyer.addresses[1].countryCode == "US")
        #expect(buyer.addresses[1].regionCode == nil)
        #expect(buyer.addresses[2].regionCode == "CA")
        #expect(buyer.addresses[2].countryCode == nil)
        #expect(buyer.addresses[2].phone == "+442071838750")
    }

    @Test("a cart gets the verified e-mail address, a valid phone number and the addresses")
    func cartClaim() async throws {
        let (bolt, provider, tokens) = try await signedIn()
        bolt.answer(Self.path, .message(status: 200, body: Array(Self.account.utf8)))
        let contact = try #require(try await provider.cartClaim(for: tokens).contact)
        #expect(contact.email == "ada@example.com")
        #expect(contact.phone == "+14155550123")
        #expect(contact.countryCode == "US")
        #expect(contact.addresses.map(\.regionCode) == ["NY", nil, "CA"])
    }

    @Test(
        "an unverified e-mail address never reaches a cart, even if the account contains it",
        arguments: [JSONValue.bool(false), .string("true"), .integer(1), .null]
    )
    func unverified(_ flag: JSONValue) async throws {
        let (bolt, provider, tokens) = try await signedIn { $0["email_verified"] = flag }
        bolt.answer(Self.path, .message(status: 200, body: Array(Self.account.utf8)))
        #expect(try #require(try await provider.cartClaim(for: tokens).contact).email == nil)
    }

    @Test(
        "a phone number that is not E.164 is not sent to the cart",
        arguments: [
            ("+14155550123", true), ("+1234567", false), ("+12345678", true), ("+1234567890123456", false),
            ("4155550123", false), ("+1 415 555 0123", false), ("+0123456789", false), ("+١٢٣٤٥٦٧٨٩", false),
        ]
    )
    func phone(_ number: String, isTaken: Bool) async throws {
        let (bolt, provider, tokens) = try await signedIn { $0["phone_number"] = .string(number) }
        bolt.answer(Self.path, .json([:]))
        #expect(try #require(try await provider.cartClaim(for: tokens).contact).phone == (isTaken ? number : nil))
    }

    struct Answer: Sendable, CustomTestStringConvertible {
        var status: Int
        var body: String
        var kind: IdentityError.Kind
        var code: IdentityError.Code
        var error: String?
        var testDescription: String { "\(status) \(body)" }
    }

    @Test(
        "each of Bolt's error formats is read, and a refused access token has its own error code",
        arguments: [
            Answer(
                status: 403,
                body: #"{"errors":[{"code":18,"message":"Forbidden"}],"result":{"success":false}}"#,
                kind: .retryLater,
                code: .accessTokenRefused,
                error: "18"
            ),
            Answer(
                status: 403,
                body: #"{"status":"failure","error":{"code":1009,"message":"m"}}"#,
                kind: .retryLater,
                code: .accessTokenRefused,
                error: "1009"
            ),
            Answer(
                status: 403,
                body: #"{"code":1015,"message":"m"}"#,
                kind: .retryLater,
                code: .accessTokenRefused,
                error: "1015"
            ),
            Answer(status: 401, body: "<html>", kind: .retryLater, code: .accessTokenRefused),
            Answer(
                status: 401,
                body: #"{"errors":[{"code":1005,"message":"key"}]}"#,
                kind: .configuration,
                code: .invalidClient,
                error: "1005"
            ),
            Answer(
                status: 403,
                body: #"{".tag":"forbidden","message":"m"}"#,
                kind: .rejected,
                code: .unexpectedResponse,
                error: "forbidden"
            ),
            Answer(
                status: 400,
                body: #"{"error":"invalid_request","error_description":"m"}"#,
                kind: .rejected,
                code: .unexpectedResponse,
                error: "invalid_request"
            ),
            Answer(
                status: 404,
                body: #"{"errors":[{"code":24,"message":"m"}]}"#,
                kind: .rejected,
                code: .unexpectedResponse,
                error: "24"
            ),
            Answer(
                status: 200,
                body: #"{"errors":[{"code":46,"message":"m"}],"result":{"success":false}}"#,
                kind: .rejected,
                code: .unexpectedResponse,
                error: "46"
            ),
            Answer(
                status: 429,
                body: #"{"errors":[{"code":41,"message":"m"}]}"#,
                kind: .retryLater,
                code: .providerUnavailable,
                error: "41"
            ),
            Answer(status: 502, body: "<html>", kind: .retryLater, code: .providerUnavailable),
            Answer(status: 200, body: "<html>", kind: .retryLater, code: .unexpectedResponse),
            Answer(status: 302, body: "", kind: .rejected, code: .redirectRefused),
        ]
    )
    func refusals(_ answer: Answer) async throws {
        let (bolt, provider, tokens) = try await signedIn()
        bolt.answer(
            Self.path,
            .message(status: answer.status, headers: [("X-Bolt-Trace-Id", "t1")], body: Array(answer.body.utf8))
        )
        let error = await #expect(throws: IdentityError.self) { _ = try await provider.buyerProfile(for: tokens) }
        #expect(error?.kind == answer.kind)
        #expect(error?.code == answer.code)
        #expect(error?.providerResponse?.error == answer.error)
        let members: [IdentityError.Code: [String]] = [
            .invalidClient: ["apiKey", "publishableKey", "environment"], .redirectRefused: ["endpoints.api"],
            .accessTokenRefused: ["scopes"],
        ]
        for member in members[answer.code] ?? [] { #expect(error?.hint?.contains(member) == true) }
        #expect(error?.providerResponse?.traceID == "t1")
        // If Bolt refuses the token, cartClaim throws, because a newer token may succeed.
        // After every other error the cart gets the contact of the login.
        if answer.code == .accessTokenRefused {
            await #expect(throws: IdentityError.self) { _ = try await provider.cartClaim(for: tokens) }
        } else {
            #expect(try #require(try await provider.cartClaim(for: tokens).contact).email == "ada@example.com")
        }
    }

    @Test("the account API gets no token that another issuer issued, and a cart gets the contact of the ID token")
    func issuerChanged() async throws {
        var (bolt, provider, tokens) = try await signedIn()
        tokens.buyer.issuer = "https://other.example"
        #expect(await failure { try await provider.buyerProfile(for: tokens) }?.code == .issuerChanged)
        #expect(try #require(try await provider.cartClaim(for: tokens).contact).email == "ada@example.com")
        #expect(bolt.requests(to: Self.path).isEmpty)
    }

    @Test("a public client has no account API, and a cart gets the contact that the ID token verified")
    func publicClient() async throws {
        let (bolt, provider, tokens) = try await signedIn(.publicPKCE)
        #expect(try await provider.buyerProfile(for: tokens) == tokens.buyer)
        #expect(try #require(try await provider.cartClaim(for: tokens).contact).email == "ada@example.com")
        #expect(bolt.requests(to: Self.path).isEmpty)
    }
}
