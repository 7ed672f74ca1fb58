import Foundation
import IdentityHTTP
import IdentityKit
import IdentitySandbox
import IdentitySetup
import IdentityTesting
import IdentityWeb
import StorefrontSandbox
import TestStores
import Testing

@testable import WebShop

@Suite("The responses of the web shop")
struct RequestTests {
    @Test("a sign-in merges the guest's cart, also if Shopify refuses an identity without the buyer's IP")
    func mergeWithBuyerIP() async throws {
        try await ShopStage.run(storefront: { $0.rejectsIdentityWithoutBuyerIP = true }) { stage in
            var visitor = ShopVisitor(stage)
            try await visitor.add("analytical-mug")
            try await visitor.signIn("shopify")
            let page = try await visitor.get("/cart").text
            #expect(page.contains("1 item") && page.contains("The checkout opens signed in."))
        }
    }

    @Test("each variant shows its price if the prices differ")
    func variantPrices() async throws {
        try await ShopStage.run(storefront: { shop in
            for index in shop.variants.indices where shop.variants[index].title == "Green" {
                shop.variants[index].price = 1300
            }
        }) { stage in
            var visitor = ShopVisitor(stage)
            let page = try await visitor.get("/products/analytical-mug").text
            #expect(page.contains("<span>Blue · 12.50 USD") && page.contains("<span>Green · 13.00 USD"), "\(page)")
            #expect(try await visitor.get("/products/loop-scarf").text.contains("<span>Red</span>"))
        }
    }

    @Test(
        "a price shows at least two digits after the point, and no further zeros at its end",
        arguments: [("5", "5.00"), ("12.5", "12.50"), ("1.250", "1.25"), ("0.125", "0.125"), ("7.", "7.00")]
    )
    func priceDigits(amount: String, shown: String) {
        #expect(WebShop.price(amount, "KWD") == "\(shown) KWD")
    }

    @Test("a line can be removed with any text in the quantity field of the form", arguments: ["", "198", "x"])
    func remove(quantity: String) async throws {
        try await ShopStage.run { stage in
            var visitor = ShopVisitor(stage)
            try await visitor.add("analytical-mug")
            let line = try visitor.value(of: "line", in: try await visitor.get("/cart").text)
            let fields = [("line", line), ("quantity", quantity), ("remove", "yes")]
            #expect(try await visitor.post("/cart/update", fields).headers["Location"] == "/cart?notice=saved")
            #expect(try await visitor.get("/cart").text.contains("Your cart is empty."))
        }
    }

    @Test(
        "the sign-in link of each page works, and contains a return path only if the path is acceptable",
        arguments: ["/", "/?q=mug", "/?q=[x]", "//", "//evil.example", "/nothing\\"]
    )
    func signInLink(target: String) async throws {
        try await ShopStage.run { stage in
            var visitor = ShopVisitor(stage)
            let page = try await visitor.get(target).text
            let start = try #require(page.range(of: "<a class=\"account\" href=\""))
            let link = page[start.upperBound...].prefix { $0 != "\"" }.replacing("&amp;", with: "&")
            let choice = try await visitor.get(String(link)).text
            let provider = try #require(choice.range(of: "href=\"/auth/login/shopify"))
            let rest = choice[provider.upperBound...].prefix { $0 != "\"" }.replacing("&amp;", with: "&")
            #expect(try await visitor.get("/auth/login/shopify" + rest).status == 303)
            #expect(rest.contains("return") == ["/", "/?q=mug"].contains(target))
        }
    }

    @Test("the shop's name is fetched with the buyer's IP, once, and after a failure not again for 10 seconds")
    func shopFacts() async throws {
        try await ShopStage.run { stage in
            stage.clock.stop()
            var visitor = ShopVisitor(stage)
            let storefront = stage.sandbox.storefront
            storefront.planFault(.storefrontErrorsText("Bad Request", status: 400), on: .storefront, times: 1)
            for (hasName, requests) in [(false, 1), (true, 2)] {
                for _ in 0..<2 {
                    let page = try await visitor.get("/nothing").text
                    #expect(page.contains("· Shop</title>") != hasName)
                }
                #expect(storefront.requests.count == requests)
                stage.clock.advance(by: .seconds(10))
            }
            #expect(storefront.requests.allSatisfy { $0.header("Shopify-Storefront-Buyer-IP") == "203.0.113.7" })
        }
    }

    @Test("HEAD gets the status and the Content-Type of GET, and 404 for the target of a form")
    func head() async throws {
        try await ShopStage.run { stage in
            var visitor = ShopVisitor(stage)
            for target in ["/", "/style.css", "/products/analytical-mug", "/cart", "/nothing"] {
                let (get, head) = (try await visitor.get(target), try await visitor.send(.head, target))
                #expect(head.status == get.status && head.headers["Content-Type"] == get.headers["Content-Type"])
            }
            #expect(try await visitor.send(.head, "/account").status == 303)
            #expect(try await visitor.send(.head, "/cart/add").status == 404)
        }
    }

    @Test("\"Sign out everywhere\" skips unreadable sessions; if this browser's own is unreadable, none ends")
    func signOutEverywhere() async throws {
        let origin = "https://shop.example"
        let sandbox = try await ShopSandbox.start(storefront: .wholeShop)
        let made = sandbox.labConfiguration(app: origin)
        let store = BreakableStore()
        let setup = try IdentitySetup(
            IdentityConfiguration(json: made.json.serialized, environmentVariables: made.environment),
            store: store,
            environment: IdentityEnvironment(transport: try CurlTransport())
        )
        let shop = try WebShop(setup, publicOrigin: origin)
        let signIn = TestSignIn()
        let damaged = try await signIn.request(to: shop.routes)
        store.damage(try #require(shop.routes.cookies.sessionID(in: damaged)))
        // The error page for a session that cannot be read has a link to a new sign-in.
        let failed = await shop.respond(to: damaged)
        #expect(failed.status == 500 && failed.text.contains("href=\"/auth/login\""))
        let other = try await signIn.session(in: setup.sessions)
        let request = try await signIn.request(to: shop.routes, .post, "/account/sign-out-everywhere")
        let answer = await shop.respond(to: request)
        #expect(answer.status == 307 && answer.headers["Location"] == "/auth/logout")
        await #expect(throws: IdentityError.self) { try await setup.sessions.session(other.id) }
        let kept = try await signIn.session(in: setup.sessions)
        let unreadable = try await signIn.request(to: shop.routes, .post, "/account/sign-out-everywhere")
        let own = unreadable.headers["Cookie"]?.split(separator: "=").last.map(String.init)
        store.damage(try #require(own.flatMap(SessionID.init(rawValue:))))
        #expect(await shop.respond(to: unreadable).status == 500)
        #expect(try await setup.sessions.session(kept.id).id == kept.id)
        await sandbox.stop()
    }
}
