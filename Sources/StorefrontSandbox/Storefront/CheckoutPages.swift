internal import IdentityHTTP
internal import IdentitySandbox

enum CheckoutPages {
    struct Order: Sendable {
        /// The e-mail address of the signed-in buyer; nil at a guest's checkout.
        let buyer: String?
        let prefilled: [(label: String, value: String)]
        let cart: Cart
        let currency: String
        let returnURL: String?
        /// The number of the order; nil before the payment.
        var number: Int?

        func amount(_ hundredths: Int) -> String {
            "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) \(currency)"
        }
    }

    private static let brand = "Shopify checkout"

    static func checkout(_ order: Order, action: String) -> String {
        let pay: HTMLText =
            order.cart.lines.isEmpty
            ? "<p>The cart is empty.</p>"
            : "<form method=\"post\" action=\"\(action)\"><button name=\"action\" value=\"pay\">Pay \(order.amount(order.cart.total))</button></form>"
        return page(
            order,
            title: "Checkout",
            "\(contents(of: order))\(pay)\(back(to: order.returnURL, "Return to the shop"))"
        )
    }

    static func ordered(_ order: Order) -> String {
        page(
            order,
            title: "Thank you",
            """
            <p>Order <strong data-sandbox-order>#\(String(order.number ?? 0))</strong> is paid. No money was moved.</p>
            \(contents(of: order))\(back(to: order.returnURL, "Continue shopping"))
            """
        )
    }

    static func cartMissing(returnURL: String?) -> SandboxResponse {
        let hint =
            "Open the checkout in the shop again. The cart was ordered, removed or moved, or is not from this sandbox."
        let link = back(to: returnURL, "Return to the shop")
        return NoticePages.error(brand: brand, "The cart does not exist.", hint: hint, status: 404, link)
    }

    private static func page(_ order: Order, title: String, _ content: HTMLText) -> String {
        let identity: HTMLText =
            if let buyer = order.buyer { "<p>Signed in as <strong data-sandbox-buyer>\(buyer)</strong></p>" } else {
                "<p><strong>Guest checkout.</strong> No buyer is signed in.</p>"
            }
        return PageLayout.page(brand: brand, title: title, "\(identity)\(content)")
    }

    private static func contents(of order: Order) -> HTMLText {
        let known = order.prefilled.map { entry -> HTMLText in
            "<dt>\(entry.label)</dt><dd data-sandbox-prefilled>\(entry.value)</dd>"
        }
        let list: HTMLText = known.isEmpty ? "" : "<h2>Prefilled</h2><dl>\(HTMLText(joining: known))</dl>"
        let rows = order.cart.lines.map { line -> HTMLText in
            """
            <tr><td>\(line.variant.product)<br><small>\(line.variant.title)</small></td>\
            <td>\(String(line.quantity))</td>\
            <td class="amount">\(order.amount(line.variant.price * line.quantity))</td></tr>
            """
        }
        return """
            \(list)
            <table><thead><tr><th>Item</th><th>Quantity</th><th class="amount">Price</th></tr></thead>\
            <tbody>\(HTMLText(joining: rows))</tbody>\
            <tfoot><tr><th colspan="2">Total</th><th class="amount">\(order.amount(order.cart.total))</th></tr></tfoot></table>
            """
    }

    private static func back(to url: String?, _ text: String) -> HTMLText {
        if let url { "<p class=\"back\"><a href=\"\(url)\">\(text)</a></p>" } else { "" }
    }
}
