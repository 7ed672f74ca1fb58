internal import IdentityKit
internal import IdentityWeb
internal import ShopifyStorefront

extension WebShop {
    /// A page in the shop's layout, with its security headers.
    func page(
        _ title: String,
        _ content: Markup,
        in context: WebContext,
        status: Int = 200
    ) async throws -> WebResponse {
        let facts = await facts.get(in: caller(context))
        let session = try await context.session()
        let search = context.request.path == "/" ? context.request.queryValue("q") : nil
        let html: Markup = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <link rel="icon" href="data:,">
            <link rel="stylesheet" href="/style.css">
            <title>\(title) · \(facts.name)</title>
            </head>
            <body>
            <a class="skip" href="#main">Skip to content</a>
            <header><nav aria-label="Shop">
            <a class="name" href="/">\(facts.name)</a>
            <form class="search" role="search" action="/"><input name="q" type="search" aria-label="Search products" \
            placeholder="Search" value="\(search ?? "")"><button>Search</button></form>
            <div class="links"><a href="/cart">Cart</a>\(account(session, context))</div>
            </nav></header>
            <main id="main">\(notice(context))\(content)</main>
            <footer><p>An example of IdentityKit. \(facts.name) is rendered on the server; it needs no script.</p></footer>
            </body>
            </html>
            """
        var response = WebResponse.html(html.html, status: status)
        for (name, value) in await securityHeaders(facts, context) { try response.headers.set(name, value) }
        return response
    }

    /// Chromium applies `form-action` also to the redirect after a form, so the policy names the checkout and the providers' logout pages.
    private func securityHeaders(_ facts: ShopFacts.Facts, _ context: WebContext) async -> [(String, String)] {
        let targets = (facts.origins + (await context.logoutOrigins())).joined(separator: " ")
        let pictures = (["https://cdn.shopify.com"] + facts.origins).joined(separator: " ")
        return [
            (
                "Content-Security-Policy",
                "default-src 'none'; style-src 'self'; img-src 'self' data: \(pictures); base-uri 'none'; "
                    + "form-action 'self' \(targets); frame-ancestors 'none'"
            ), ("Referrer-Policy", "same-origin"), ("X-Content-Type-Options", "nosniff"),
        ]
    }

    private func account(_ session: Session?, _ context: WebContext) -> Markup {
        guard let session else {
            // A return path that the policy refuses would make the sign-in fail. A sign-in without a return path leads to the home page.
            let target = context.request.method == .post ? "/" : context.request.target
            let path = try? ReturnPathPolicy.pathsOnly.location(for: target)
            let link = Link.to("/auth/login", ["return": path])
            return "<a class=\"account\" href=\"\(link)\">Sign in</a>"
        }
        return "<a class=\"account\" href=\"/account\">\(Self.name(of: session.buyer))</a>"
    }

    private func notice(_ context: WebContext) -> Markup {
        guard let text = context.request.queryValue("notice").flatMap({ Notice.Text(rawValue: $0) }) else {
            return .none
        }
        return "<p class=\"notice \(text.rawValue)\" role=\"status\">\(text.sentence)</p>"
    }

    /// The hidden field with the CSRF token, for clients that send neither `Sec-Fetch-Site` nor `Origin`.
    func protection(_ context: WebContext) -> Markup {
        context.csrfToken.map { "<input type=\"hidden\" name=\"csrf_token\" value=\"\($0.reveal())\">" } ?? .none
    }

    func notFound(_ context: WebContext) async throws -> WebResponse {
        try await page(
            "Not found",
            "<h1>Not found</h1><p>There is no such page. <a href=\"/\">See all products</a></p>",
            in: context,
            status: 404
        )
    }

    /// The name that the page shows; nil if neither a name nor an e-mail address of the buyer is known.
    static func knownName(of buyer: Buyer) -> String? {
        let names = [buyer.givenName, buyer.familyName].compactMap { $0 }.joined(separator: " ")
        return buyer.displayName ?? (names.isEmpty ? buyer.email?.value : names)
    }

    static func name(of buyer: Buyer) -> String { knownName(of: buyer) ?? "Your account" }

    static func price(_ amount: String, _ currency: String) -> String {
        let parts = amount.split(separator: ".", omittingEmptySubsequences: false)
        var digits = parts.count > 1 ? String(parts[1]) : ""
        while digits.count < 2 { digits += "0" }
        while digits.count > 2, digits.hasSuffix("0") { digits.removeLast() }
        return "\(parts[0]).\(digits) \(currency)"
    }

    static func price(_ money: Money) -> String { price(money.amount, money.currencyCode) }
}
