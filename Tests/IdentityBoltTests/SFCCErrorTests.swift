import FoundationEssentials
import IdentityBolt
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityTesting
import TestDoubles
import Testing

@Suite("Bolt behind SFCC: errors and redirects")
struct SFCCErrorTests: SFCCSuite {
    @Test("up to three redirects within the storefront are followed with cookies, and no others")
    func redirects() async throws {
        let shop = try await shop()
        let provider = try provider(shop)
        func redirect(_ to: String, _ cookie: String) -> LoopbackResponse {
            .message(status: 302, headers: [("Location", to), ("Set-Cookie", "\(cookie); Path=/")])
        }
        shop.answer(Self.codePath, redirect("/a?x=1#part", "a=1"))
        shop.answer("/a", redirect("\(shop.origin)/b", "b=2"))
        shop.answer("/b", redirect("account", "c=3"))
        shop.answer("/account", .message(status: 200, body: Array("<html>".utf8)))
        _ = try await signIn(provider)
        #expect(shop.requests(to: Self.tokenPath).last?.header("cookie") == "a=1; b=2; c=3")
        shop.answer("/account", redirect("/account", "d=4"))
        #expect(await failure { try await signIn(provider) }?.code == .unexpectedResponse)
        let otherServer = try await FakeBolt()
        for target in [
            otherServer.origin + "/x", "//localhost/x", "https://\(shop.origin.dropFirst(7))/x", "javascript:x",
        ] {
            shop.answer(Self.codePath, redirect(target, "e=5"))
            #expect(await failure { try await signIn(provider) }?.code == .unexpectedResponse, "\(target)")
        }
        #expect(otherServer.requests.isEmpty)
        shop.answer(Self.codePath, .json(["success": .bool(true)]))
        shop.answer(Self.tokenPath, .message(status: 307, headers: [("Location", "/account")]))
        await #expect(throws: IdentityError.self) { _ = try await signIn(provider) }
    }

    @Test("an HTML page of either controller is an unexpected response that can be retried")
    func pages() async throws {
        let shop = try await shop()
        let provider = try provider(shop)
        let page = LoopbackResponse.message(
            status: 200,
            headers: [("Content-Type", "text/html")],
            body: Array("<p>".utf8)
        )
        shop.answer(Self.tokenPath, page)
        let second = await #expect(throws: IdentityError.self) { _ = try await signIn(provider) }
        #expect(second?.code == .unexpectedResponse && second?.kind == .retryLater)
        shop.answer(Self.codePath, page)
        let first = await #expect(throws: IdentityError.self) { _ = try await signIn(provider) }
        #expect(first?.code == .unexpectedResponse && first?.kind == .retryLater)
        #expect(shop.requests(to: Self.tokenPath).count == 1)
    }

    @Test("an error about an unexpected response names the settings of the controller that sent the response")
    func unexpectedResponses() async throws {
        let shop = try await shop()
        let provider = try provider(shop)
        shop.answer(Self.tokenPath, .json(["ok": .bool(true)]))
        let second = await #expect(throws: IdentityError.self) { _ = try await signIn(provider) }
        #expect(second?.code == .unexpectedResponse && second?.kind == .rejected)
        #expect(second?.hint?.contains("tokenExchangeAction") == true)
        #expect(second?.hint?.contains("tokenJSONPaths") == true)
        shop.answer(Self.codePath, .message(status: 200, body: Array("signed in".utf8)))
        let first = await #expect(throws: IdentityError.self) { _ = try await signIn(provider) }
        #expect(first?.code == .unexpectedResponse && first?.kind == .rejected)
        #expect(first?.hint?.contains("codeExchangeAction") == true)
        #expect(first?.hint?.contains("token") == false)
    }

    @Test("the number 0 as error means that there is no error")
    func zero() async throws {
        let shop = try await shop()
        shop.answer(Self.codePath, .message(status: 200, body: Array(#"{"error":0}"#.utf8)))
        _ = try await signIn(try provider(shop))
    }

    @Test(
        "each error format is read with status 200, and errors show no code and no value of extraQuery and extraForm",
        arguments: [
            #"{"error":"invalid_grant"}"#, #"{"error":{"code":"x","message":"about C0DE1234"}}"#, #"{"error":true}"#,
            #"{"error":7}"#,
            #"{"errorMessage":"C0DE1234 was used"}"#, #"{"message":"no"}"#, #"{"success":false}"#,
            #"{"fault":{"type":"QU3RY-5","message":"F0RM-77"}}"#, #"{"status_code":"UNAUTHORIZED","message":"m"}"#,
        ],
        [true, false]
    )
    func errors(body: String, isFirst: Bool) async throws {
        let shop = try await shop()
        let provider = try provider(shop) {
            $0.extraQuery = [("key", Secret("QU3RY-5"))]
            $0.extraForm = [("key", Secret("F0RM-77"))]
        }
        shop.answer(isFirst ? Self.codePath : Self.tokenPath, .message(status: 200, body: Array(body.utf8)))
        let error = try #require(
            await #expect(throws: IdentityError.self) { _ = try await signIn(provider, code: "C0DE1234") }
        )
        #expect(error.kind == .rejected)
        #expect(error.code == (body.contains("invalid_grant") ? .invalidGrant : .authorizationRefused))
        // The description of a response shows no text of the provider, so the members are read.
        let response = try #require(error.providerResponse)
        let shown = [response.error, response.errorDescription].compactMap(\.self).joined()
        #expect(["C0DE1234", "QU3RY-5", "F0RM-77"].allSatisfy { !shown.contains($0) }, "\(shown)")
        #expect(shop.requests.count == (isFirst ? 1 : 2))
    }

    @Test(
        "a token request is not repeated after a 500 or 429, because the code may have been used",
        arguments: [500, 429]
    )
    func outage(status: Int) async throws {
        let shop = try await shop(.message(status: status))
        let error = await #expect(throws: IdentityError.self) { _ = try await signIn(try provider(shop)) }
        #expect(error?.kind == .retryLater)
        #expect(shop.requests.count == 2)
    }

    @Test("a code is not sent again when a reused connection breaks without a response")
    func brokenConnection() async throws {
        let shop = try await shop()
        let provider = try provider(shop)
        _ = try await signIn(provider)
        shop.answer(Self.codePath, .script([.close]))
        let error = await #expect(throws: IdentityError.self) { _ = try await signIn(provider) }
        #expect(error?.kind == .retryLater)
        #expect(shop.requests(to: Self.codePath).count == 2)
    }

    @Test(
        "a token that is not a JWT is refused",
        arguments: ["opaque", "a.b.c", "e30.e30", "e30.e30.", "e30.W10.c2ln", "eyJhbGciOiJSUzI1NiJ9.e30=.c2ln"]
    )
    func malformed(_ token: String) async throws {
        let shop = try await shop(.json(["access_token": .string(token)]))
        #expect(await failure { try await signIn(try provider(shop)) }?.code == .tokenResponseInvalid)
    }
}
