/// The final pages of a login, a logout or a checkout.
package enum NoticePages {
    /// The provider's error page, for a request that gets no redirect.
    static func refusal(brand: String, _ reason: String, hint: String) -> String {
        error(
            brand: brand,
            reason,
            hint: hint,
            note: "The real provider explains nothing here, and the app gets no callback either."
        )
    }

    /// An error page.
    package static func error(brand: String, _ reason: String, hint: String, note: String = "") -> String {
        PageLayout.page(
            brand: brand,
            title: "Something went wrong",
            """
            <p class="error" role="alert">\(reason)</p>
            <p>\(hint)</p>
            <p class="note">\(note)</p>
            """
        )
    }

    static func signedOut(brand: String) -> String {
        PageLayout.page(
            brand: brand,
            title: "You are signed out",
            "<p>You can close this page.</p>"
        )
    }

    /// The last page of a login without a redirect URI; it shows the code.
    static func finished(brand: String, callback: String) -> String {
        PageLayout.page(
            brand: brand,
            title: "You are signed in",
            "<p>No redirect URI is registered. An app would now receive:</p><p><code>\(callback)</code></p>"
        )
    }

    /// The page of 403 that a request without `User-Agent` gets.
    package static func accessDenied(brand: String) -> String {
        PageLayout.page(
            brand: brand,
            title: "Access denied",
            "<p>You do not have permission to access this website.</p>"
        )
    }

    package static func checkout(buyer: String?, lines: [(title: String, quantity: Int)], total: String) -> String {
        let rows = lines.map { line -> HTMLText in
            "<tr><td>\(line.title)</td><td>\(String(line.quantity))</td></tr>"
        }
        let identity: HTMLText =
            if let buyer { "<p>Signed in as <strong data-sandbox-buyer>\(buyer)</strong></p>" } else {
                "<p><strong>Guest checkout.</strong> Nobody is signed in.</p>"
            }
        return PageLayout.page(
            brand: "Shopify checkout",
            title: "Checkout",
            """
            \(identity)
            <table><thead><tr><th>Item</th><th>Quantity</th></tr></thead><tbody>\(HTMLText(joining: rows))</tbody></table>
            <p>Total <strong>\(total)</strong></p>
            """
        )
    }
}
