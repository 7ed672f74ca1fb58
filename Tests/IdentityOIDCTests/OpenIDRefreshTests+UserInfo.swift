import IdentityKit
import IdentityLoopback
import IdentityOIDC
import TestDoubles
import Testing

extension OpenIDRefreshTests {
    @Test("UserInfo of another buyer is refused, and refusals of the token have their own codes")
    func userInfo() async throws {
        try await FakeWorld.run { world in
            let tokens = try await world.login()
            let buyer = try await world.provider.buyerProfile(for: tokens)
            #expect(buyer.givenName == "Ada")
            #expect(buyer.email?.value == "ada@example.com")
            let sent = try #require(world.fake.requests(to: "/userinfo").first)
            #expect(sent.header("Authorization") == "Bearer access-1")
            func ok(_ body: String, type: String = "application/json") -> LoopbackResponse {
                .message(status: 200, headers: [("Content-Type", type)], body: Array(body.utf8))
            }
            let refusals: [(LoopbackResponse, IdentityError.Kind, IdentityError.Code)] = [
                (ok(#"{"sub":"buyer-11"}"#), .rejected, .idTokenSubject), (ok("{}"), .rejected, .idTokenSubject),
                (ok(#"{"sub":1}"#), .rejected, .idTokenSubject),
                (ok(#"{"sub":"buyer-1","sub":"buyer-1"}"#), .rejected, .unexpectedResponse),
                (.message(status: 302, headers: [("Location", "/elsewhere")]), .rejected, .redirectRefused),
                (ok("a.b.c", type: "application/jwt; charset=utf-8"), .rejected, .idTokenMalformed),
                (.message(status: 401), .retryLater, .accessTokenRefused),
                (.message(status: 403), .rejected, .insufficientScope),
                (
                    .message(status: 403, headers: [("WWW-Authenticate", "Bearer")], body: Array("<html>".utf8)),
                    .rejected, .insufficientScope
                ),
                // Without WWW-Authenticate, an HTML page may come from a firewall, so it counts as an outage.
                (.message(status: 403, body: Array("<html>".utf8)), .retryLater, .unexpectedResponse),
                (.message(status: 500), .retryLater, .providerUnavailable),
                (ok("<html>", type: "text/html"), .retryLater, .unexpectedResponse),
                (.message(status: 404, body: Array("<html>".utf8)), .retryLater, .unexpectedResponse),
            ]
            for (response, kind, code) in refusals {
                world.fake.replace("/userinfo", by: response)
                let error = await #expect(throws: IdentityError.self) {
                    _ = try await world.provider.buyerProfile(for: tokens)
                }
                #expect(error?.code == code)
                #expect(error?.kind == kind)
            }
            #expect(world.fake.requests(to: "/elsewhere").isEmpty)
        }
    }

    @Test(
        "a JSON refusal of UserInfo is not an outage, unless the status is temporary",
        arguments: [
            (400, "rejected"), (404, "rejected"), (405, "rejected"), (410, "rejected"), (422, "rejected"),
            (408, "retry_later"), (425, "retry_later"), (429, "retry_later"), (500, "retry_later"),
            (503, "retry_later"),
        ]
    )
    func refusedUserInfo(status: Int, kind: String) async throws {
        try await FakeWorld.run { world in
            let tokens = try await world.login()
            let answer: JSONObject = [
                "error": .string("invalid_request"), "error_description": .string("about access-1"),
            ]
            let body = JSONValue.object(answer).serialized
            world.fake.replace("/userinfo", by: .message(status: status, headers: [("Retry-After", "7")], body: body))
            let error = await #expect(throws: IdentityError.self) {
                _ = try await world.provider.buyerProfile(for: tokens)
            }
            #expect(error?.kind.rawValue == kind)
            let isOutage = status == 429 || status >= 500
            #expect(error?.code == (isOutage ? .providerUnavailable : .unexpectedResponse))
            #expect(error?.retryAfter == (isOutage ? .seconds(7) : nil))
            #expect(error?.providerResponse?.status == status)
            guard kind == "rejected" else { return }
            #expect(error?.providerResponse?.error == "invalid_request")
            // No error contains the token, also if the endpoint repeats it.
            #expect(error?.providerResponse?.errorDescription?.hasPrefix("about ") == true)
            #expect(error?.providerResponse?.errorDescription?.contains("access-1") == false)
        }
    }
}
