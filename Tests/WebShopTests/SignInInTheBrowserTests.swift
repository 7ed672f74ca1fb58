import IdentityHTTP
import IdentityKit
import IdentitySandbox
import StorefrontSandbox
import Testing
import WebShop

/// The web shop in a real browser: the shop is at [::1] and the providers are at 127.0.0.1, so the browser treats them as two sites.
@Suite("The web shop in a browser", .serialized, .enabled(if: Browser.isInstalled, Browser.howToInstall))
struct SignInInTheBrowserTests {
    @Test(
        "a guest fills a cart, signs in with a provider, and finds the lines in the buyer's cart",
        arguments: ["shopify", "bolt", "bolt-sfcc", "any"]
    )
    func signIn(provider: String) async throws {
        try await ShopStage.run { stage in
            try await Browser.run { browser in
                try await browser.add("analytical-mug", stage)
                #expect(try await browser.text.contains("This is a guest’s cart"))
                try await browser.signIn(provider, stage)
                let text = try await browser.text
                #expect(text.contains("Analytical Mug") && text.contains("1 item"))
                // The ID token of the OpenID provider has neither name nor e-mail address.
                let owner = provider == "any" ? "This is your cart, signed in with OpenID" : "This is the cart of "
                #expect(text.contains(owner) && !text.contains("Your account, signed in"))
                #expect(provider == "any" || text.contains("Ada") || text.contains("ada@example.com"))
                await browser.keepScreenshot("cart-\(provider)")
                // The address bar no longer contains the callback's code.
                #expect(try await browser.url == "\(stage.origin)/cart")
                try await browser.go("\(stage.origin)/account")
                try await browser.wait(for: "ada@example.com")
                await browser.keepScreenshot("account-\(provider)")
                try await browser.expectNoComplaints()
            }
        }
    }

    @Test("after a posted callback, a guest's lines are merged into the cart that the buyer already has")
    func formPost() async throws {
        try await ShopStage.run { stage in
            try await Browser.run { first in
                try await first.add("analytical-mug", stage)
                try await first.signIn("any-form-post", stage)
            }
            try await Browser.run { browser in
                try await browser.add("analytical-mug", stage)
                try await browser.add("bit-dice", stage)
                try await browser.signIn("any-form-post", stage)
                let text = try await browser.text
                #expect(text.contains("3 items") && text.contains("Bit Dice"))
                #expect(try await browser.attribute("value", of: "input[name=quantity]") == "2")
                try await browser.expectNoComplaints()
            }
        }
    }

    @Test("a buyer checks out signed in, pays, comes back, sees the order, and signs out")
    func checkout() async throws {
        try await ShopStage.run { stage in
            try await Browser.run { browser in
                try await browser.add("teapot-418", stage)
                try await browser.signIn("shopify", stage)
                #expect(try await browser.text.contains("The checkout opens signed in."))
                try await browser.click("form[action=\"/checkout\"] button")
                try await browser.wait(for: "Signed in as ada@example.com")
                await browser.keepScreenshot("checkout")
                try await browser.click("button[value=pay]")
                try await browser.wait(for: "is paid")
                await browser.keepScreenshot("paid")
                try await browser.click(".back a")
                try await browser.wait(for: "Products")
                try await browser.go("\(stage.origin)/cart")
                try await browser.wait(for: "Your cart is empty")
                try await browser.click(".account")
                try await browser.click("a[href^=\"/account/order\"]")
                try await browser.wait(for: "Teapot 418")
                try await browser.go("\(stage.origin)/account")
                try await browser.click("form[action=\"/auth/logout\"] button")
                try await browser.wait(for: "You are signed out")
                try await browser.go("\(stage.origin)/account")
                try await browser.wait(for: "How do you want to sign in?")
                try await browser.expectNoComplaints()
            }
            #expect(try await stage.shop.sessions.sessions().filter { !$0.isGuest }.isEmpty)
        }
    }

    @Test("a contact of Bolt is prefilled at a guest's checkout")
    func contact() async throws {
        try await ShopStage.run { stage in
            try await Browser.run { browser in
                try await browser.add("bit-dice", stage)
                try await browser.signIn("bolt", stage)
                #expect(try await browser.text.contains("with your contact filled in"))
                try await browser.click("form[action=\"/checkout\"] button")
                try await browser.wait(for: "Guest checkout")
                let text = try await browser.text
                #expect(text.contains("ada@example.com") && text.contains("1 Analytical Way"))
                try await browser.expectNoComplaints()
            }
        }
    }

    @Test("a buyer can sign in after a wrong one-time code, and a buyer who cancels keeps the cart")
    func codes() async throws {
        try await ShopStage.run { stage in
            try await Browser.run { browser in
                try await browser.add("bit-dice", stage)
                try await browser.beginSignIn("any", stage)
                try await browser.click("button[value=cancel]")
                try await browser.wait(for: "Sign-in cancelled")
                await browser.keepScreenshot("cancelled")
                try await browser.beginSignIn("any", stage)
                try await browser.enter(wrongCodeFirst: true)
                try await browser.wait(for: "signed in with")
                #expect(try await browser.text.contains("Bit Dice"))
            }
        }
    }

    @Test("the back button and a callback that is opened twice leave the buyer signed in")
    func again() async throws {
        try await ShopStage.run { stage in
            try await Browser.run { browser in
                try await browser.signIn("any", stage)
                try await browser.back()
                try await browser.forward()
                try await browser.wait(for: "signed in with")
                let callback = try #require(stage.callbacks.last)
                try await browser.go(stage.origin + callback)
                try await browser.wait(for: "signed in with")
                #expect(try await browser.url == "\(stage.origin)/cart")
                // Another browser cannot use the same callback.
                try await Browser.run { other in
                    try await other.go(stage.origin + callback)
                    try await other.wait(for: "This sign-in has expired")
                }
                try await browser.go("\(stage.origin)/account")
                try await browser.wait(for: "Sign out everywhere")
            }
        }
    }

    @Test("two tabs of a browser sign in at the same time, and both sign-ins succeed")
    func tabs() async throws {
        try await ShopStage.run { stage in
            try await Browser.run { browser in
                let first = try await browser.tab
                try await browser.beginSignIn("bolt", stage)
                try await browser.use(tab: browser.openTab())
                try await browser.beginSignIn("any", stage)
                try await browser.enter()
                try await browser.wait(for: "signed in with")
                try await browser.use(tab: first)
                try await browser.enter()
                try await browser.wait(for: "signed in with")
                #expect(try await browser.text.contains("Bolt"))
            }
        }
    }

    @Test("a sign-in that took too long shows a page with a link that starts it again")
    func expired() async throws {
        try await ShopStage.run { stage in
            try await Browser.run { browser in
                try await browser.beginSignIn("any", stage)
                stage.clock.advance(by: .seconds(11 * 60))
                try await browser.enter()
                try await browser.wait(for: "This sign-in has expired")
                await browser.keepScreenshot("expired")
                try await browser.click("a[href=\"/auth/login\"]")
                try await browser.wait(for: "How do you want to sign in?")
            }
        }
    }

    @Test("a buyer who signs in while another buyer is signed in gets nothing of that buyer's session")
    func anotherBuyer() async throws {
        try await ShopStage.run { stage in
            try await Browser.run { browser in
                try await browser.add("bit-dice", stage)
                try await browser.signIn("shopify", stage)
                stage.sandbox.shopify.signOutBrowsers()
                try await browser.go("\(stage.origin)/auth/login/any?return=/cart")
                try await browser.enter("grace@example.com")
                try await browser.wait(for: "signed in with")
                let text = try await browser.text
                #expect(text.contains("Your cart is empty") && !text.contains("Ada"))
                let sessions = try await stage.shop.sessions.sessions().filter { !$0.isGuest }
                #expect(sessions.map(\.provider) == ["any"])
                #expect(stage.sandbox.storefront.cartStates.allSatisfy { $0.customerAccessToken == nil })
            }
        }
    }

    @Test("while a provider is down, the buyer sees a page that says so, and the shop stays open")
    func providerDown() async throws {
        try await ShopStage.run { stage in
            stage.sandbox.shopify.planFault(.htmlPage(status: 503), on: .discovery, times: 100)
            try await Browser.run { browser in
                try await browser.beginSignIn("shopify", stage)
                try await browser.wait(for: "Please try again later")
                await browser.keepScreenshot("provider-down")
                try await browser.add("bit-dice", stage)
            }
        }
    }

    @Test("a browser that blocks the shop's cookies gets an error page and is not redirected endlessly")
    func blockedCookies() async throws {
        try await ShopStage.run { stage in
            try await Browser.run(blockingCookiesOf: stage.origin) { browser in
                try await browser.beginSignIn("any", stage)
                try await browser.enter()
                try await browser.wait(for: "This sign-in has expired")
                #expect(try await browser.cookies.isEmpty)
            }
        }
    }

    @Test("signing out everywhere ends the session of another browser, and so does the provider's logout token")
    func everywhere() async throws {
        try await ShopStage.run { stage in
            try await Browser.run { first in
                try await first.signIn("any", stage)
                try await Browser.run { second in
                    try await second.signIn("any", stage)
                    try await second.go("\(stage.origin)/account")
                    try await second.click("form[action=\"/account/sign-out-everywhere\"] button")
                    try await second.wait(for: "You are signed out")
                    try await second.expectNoComplaints()
                }
                try await first.go("\(stage.origin)/account")
                try await first.wait(for: "How do you want to sign in?")
                stage.sandbox.openID.signOutBrowsers()
                try await first.signIn("any", stage)
                for sid in stage.sandbox.openID.sessionIDs(ofBuyer: "ada@example.com") {
                    let address = "\(stage.origin)/auth/backchannel-logout/any"
                    #expect(
                        try await stage.sandbox.openID.sendLogoutToken(for: .session(sid), to: address).status < 500
                    )
                }
                try await first.go("\(stage.origin)/account")
                try await first.wait(for: "How do you want to sign in?")
            }
        }
    }

    @Test(
        "the sign-in fails if a cookie has a wrong SameSite, no Secure or no Path",
        arguments: [
            ("any", "SameSite=Lax", "SameSite=Strict"), ("any-form-post", "SameSite=None", "SameSite=Lax"),
            ("any-form-post", "; Secure", ""), ("any", "; Path=/", ""),
        ]
    )
    func attributes(provider: String, attribute: String, replacement: String) async throws {
        try await ShopStage.run(rewritingCookies: { $0.replacing(attribute, with: replacement) }) { stage in
            try await Browser.run { browser in
                try await browser.beginSignIn(provider, stage)
                try await browser.enter()
                try await browser.wait(for: "This sign-in has expired")
            }
        }
    }
}

extension Browser {
    /// Checks that the browser has reported no problem, for example no violation of the Content-Security-Policy.
    func expectNoComplaints(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        // Error pages are expected in some tests. Over TLS, the sandbox's pictures are mixed content, because the sandbox has no TLS.
        let complaints = try await complaints.filter { complaint in
            !["the server responded with a status of", "Mixed Content"].contains { complaint.contains($0) }
        }
        #expect(complaints == [], sourceLocation: sourceLocation)
    }
}
