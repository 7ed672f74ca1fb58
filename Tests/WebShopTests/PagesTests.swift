import IdentityKit
import StorefrontSandbox
import Testing

@Suite("The pages of the web shop", .serialized, .enabled(if: Browser.isInstalled, Browser.howToInstall))
struct PagesTests {
    @Test("every page fits phone and desktop widths, and violates no rule of its Content-Security-Policy")
    func sizes() async throws {
        try await ShopStage.run { stage in
            stage.sandbox.customers.addOrders(1_001...1_003, for: "ada@example.com")
            try await Browser.run { browser in
                try await browser.add("difference-t-shirt", stage)
                try await browser.add("teapot-418", stage)
                try await browser.look(
                    [
                        ("products", "/"), ("search", "/?q=mug"), ("product", "/products/difference-t-shirt"),
                        ("guest-cart", "/cart"), ("choice", "/auth/login"), ("missing", "/nothing"),
                    ],
                    stage
                )
                try await browser.signIn("shopify", stage)
                try await browser.look([("cart", "/cart"), ("account", "/account")], stage)
                try await browser.click("form[action=\"/cart/update\"] button, a[href^=\"/account/order\"]")
                try await browser.expectNoComplaints()
                try await browser.go("\(stage.origin)/cart")
                try await browser.click("form[action=\"/checkout\"] button")
                try await browser.wait(for: "Signed in as")
                let checkout = try await browser.url
                try await browser.look([("checkout", checkout)], stage)
            }
            try await Browser.run { browser in
                for provider in ["shopify", "bolt", "bolt-sfcc", "any"] {
                    try await browser.beginSignIn(provider, stage)
                    let url = try await browser.url
                    try await browser.look([("login-\(provider)", url)], stage)
                }
            }
        }
    }

    @Test("a buyer with a keyboard skips to the content, chooses a variant and adds it to the cart")
    func keyboard() async throws {
        try await ShopStage.run { stage in
            try await Browser.run { browser in
                try await browser.go("\(stage.origin)/products/analytical-mug")
                try await browser.press("\u{E004}")
                #expect(try await browser.script("return document.activeElement.className").string == "skip")
                try await browser.press("\u{E007}")
                // Tab to the variants; the arrow chooses the next one, and Enter sends the form.
                try await browser.press("\u{E004}\u{E015}")
                let chosen = "return document.querySelector('input[name=variant]:checked').parentNode.innerText"
                #expect(try await browser.script(chosen).string?.contains("Green") == true)
                try await browser.press("\u{E007}")
                try await browser.wait(for: "Added to your cart")
                #expect(try await browser.text.contains("Green"))
            }
        }
    }

    @Test("HTML in a search text is shown as text and not interpreted")
    func escaping() async throws {
        try await ShopStage.run { stage in
            try await Browser.run { browser in
                try await browser.go("\(stage.origin)/?q=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E%22%3E")
                try await browser.wait(for: "<img src=x onerror=alert(1)>\">")
                #expect(
                    try await browser.script("return document.querySelectorAll('img[onerror]').length").number?.integer
                        == 0
                )
                try await browser.expectNoComplaints()
            }
        }
    }
}

extension Browser {
    /// Visits pages at both widths, checks that none is wider than the window, and keeps their pictures.
    func look(_ pages: [(name: String, path: String)], _ stage: ShopStage) async throws {
        for (name, path) in pages {
            for width in [390, 1280] {
                try await resize(width: width)
                try await go(path.hasPrefix("/") ? stage.origin + path : path)
                let excess = try await script("return document.documentElement.scrollWidth - window.innerWidth")
                #expect((excess.number?.integer ?? 1) <= 0, "\(name) is too wide at \(width)")
                await keepScreenshot("\(name)-\(width)")
            }
        }
    }
}
