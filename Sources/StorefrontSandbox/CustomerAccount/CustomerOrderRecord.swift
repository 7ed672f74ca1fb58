internal import IdentitySandbox

/// An order of a customer; amounts are in hundredths of the currency unit.
struct CustomerOrderRecord: Sendable {
    struct Line: Sendable {
        let title: String
        let variantTitle: String
        let quantity: Int
        let price: Int
        let productID: String
        let variantID: String
    }

    var number: Int
    let date: String
    var financialStatus = "PAID"
    var fulfillmentStatus = "FULFILLED"
    var cancelledAt: String?
    let lines: [Line]
    let subtotal: Int
    let shipping: Int
    let currency: String

    var id: String { "gid://shopify/Order/\(number)" }

    static func sample(_ number: Int) -> CustomerOrderRecord {
        CustomerOrderRecord(
            number: number,
            date: "2026-11-01T10:00:00Z",
            lines: [
                Line(
                    title: "Analytical Mug",
                    variantTitle: "Blue",
                    quantity: 2,
                    price: 1250,
                    productID: "gid://shopify/Product/1",
                    variantID: "gid://shopify/ProductVariant/1"
                )
            ],
            subtotal: 2500,
            shipping: 500,
            currency: "USD"
        )
    }

    func node(deliveredTo address: GraphNode) -> GraphNode {
        let nodes = lines.enumerated().map { position, line -> GraphNode in
            [
                "id": .text("gid://shopify/LineItem/\(number)-\(position)"), "title": .text(line.title),
                "variantTitle": .text(line.variantTitle),
                "sku": .text(SandboxStorefront.handle(line.variantTitle)), "quantity": .integer(line.quantity),
                "productId": .text(line.productID), "variantId": .text(line.variantID),
                "price": .money(line.price, currency),
                "totalPrice": .money(line.price * line.quantity, currency),
            ]
        }
        return [
            "__typename": .text("Order"),
            "id": .text(id), "name": .text("#\(number)"), "number": .integer(number), "processedAt": .text(date),
            "cancelledAt": .text(cancelledAt), "financialStatus": .text(financialStatus),
            "fulfillmentStatus": .text(fulfillmentStatus),
            "statusPageUrl": .text("https://shop.example/orders/\(number)?key=\(RandomText.hexadecimal(16))"),
            "subtotal": .money(subtotal, currency), "totalShipping": .money(shipping, currency), "totalTax": .null,
            "totalPrice": .money(subtotal + shipping, currency), "totalRefunded": .money(0, currency),
            "shippingAddress": address,
            "lineItems": .connection(nodes),
        ]
    }
}
