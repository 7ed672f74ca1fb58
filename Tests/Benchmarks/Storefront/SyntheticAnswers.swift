/// Answers with the shapes that Shopify sends, and values that nobody does.
enum SyntheticAnswers {
    /// A page of 17 products with 102 variants: 112 KB.
    static let productPage: [UInt8] = Array(
        """
        {"data":{"products":{"pageInfo":{"hasNextPage":true,"endCursor":"eyJsYXN0X2lkIjo4MjE5Mn0="},"nodes":[\
        \((0..<17).map(product).joined(separator: ","))]}},"extensions":{"cost":{"requestedQueryCost":187}}}
        """.utf8
    )

    /// A cart of four lines with a buyer and a discount: 6 KB.
    static let cart: [UInt8] = Array(
        """
        {"data":{"cart":{"id":"gid://shopify/Cart/hWN1xvbS0yZ2Jm?key=6f1ed1a8c0b84fb3a9f5","checkoutUrl":\
        "https://shop.example/cart/c/hWN1xvbS0yZ2Jm?key=6f1ed1a8c0b84fb3a9f5","createdAt":"2026-11-21T08:15:30Z",\
        "updatedAt":"2026-11-22T09:30:00.125-05:00","note":"Please ring \\"twice\\"\\nand wait.","totalQuantity":9,\
        "buyerIdentity":{"email":"buyer@shop.example","phone":"+15555550100","countryCode":"CA",\
        "customer":{"id":"gid://shopify/Customer/6943257690242"}},\
        "cost":{"subtotalAmount":\(money("236.00")),"totalAmount":\(money("212.40")),"totalTaxAmount":null},\
        "discountCodes":[{"code":"AUTUMN10","applicable":true}],\
        "attributes":[{"key":"gift","value":"yes"},{"key":"source","value":"newsletter"}],\
        "lines":{"pageInfo":{"hasNextPage":false,"endCursor":null},"nodes":[\
        \((0..<4).map(line).joined(separator: ","))]}}}}
        """.utf8
    )

    /// A thousand moments, as a list.
    static let moments: [UInt8] = Array(
        ("["
            + (0..<1_000).map { "\"2026-11-\(10 + $0 % 20)T\(10 + $0 % 14):30:\(10 + $0 % 50)Z\"" }
            .joined(separator: ",") + "]").utf8
    )

    private static func money(_ amount: String) -> String {
        "{\"amount\":\"\(amount)\",\"currencyCode\":\"CAD\"}"
    }

    private static func image(_ number: Int) -> String {
        """
        {"id":"gid://shopify/ProductImage/\(4_100_000_000 + number)","url":"https://cdn.shop.example/s/files/1/0533/2089/files/\
        product-photograph-\(number).jpg?v=17\(10_000_000 + number)","altText":"A photograph of product \(number) in daylight",\
        "width":1600,"height":1200}
        """
    }

    private static func product(_ number: Int) -> String {
        """
        {"__typename":"Product","id":"gid://shopify/Product/\(8_219_200_000 + number)","handle":"wool-blanket-\(number)",\
        "title":"Wool blanket № \(number)","description":"\(String(repeating: "A warm blanket of sheep's wool, woven in the valley. ", count: 15))",\
        "descriptionHtml":"\\u003cp class=\\"lead\\"\\u003e\(String(repeating: "A warm blanket of sheep's wool. ", count: 6))\\u003c/p\\u003e\\n",\
        "vendor":"Weavers' Guild","productType":"Blankets","tags":["wool","home","winter","made to last"],\
        "availableForSale":true,"createdAt":"2026-02-1\(number % 10)T10:00:00Z","updatedAt":"2026-11-0\(number % 9 + 1)T18:25:43Z",\
        "priceRange":{"minVariantPrice":\(money("59.00")),"maxVariantPrice":\(money("189.50"))},\
        "options":[{"id":"gid://shopify/ProductOption/\(900 + number)","name":"Size"},{"id":"gid://shopify/ProductOption/\(950 + number)","name":"Color"}],\
        "featuredImage":\(image(number)),"images":{"nodes":[\((0..<3).map { image(number * 10 + $0) }.joined(separator: ","))]},\
        "variants":{"pageInfo":{"hasNextPage":false,"endCursor":null},"nodes":[\
        \((0..<6).map { variant(number * 6 + $0) }.joined(separator: ","))]}}
        """
    }

    private static func variant(_ number: Int) -> String {
        """
        {"__typename":"ProductVariant","id":"gid://shopify/ProductVariant/\(44_717_000_000 + number)","title":"Large / Green \(number)",\
        "sku":"WB-\(1000 + number)-LG","barcode":null,"availableForSale":\(number % 3 != 0),"quantityAvailable":\(number % 40),\
        "requiresShipping":true,"weight":1.25,"weightUnit":"KILOGRAMS","price":\(money("\(59 + number).00")),\
        "compareAtPrice":\(number % 2 == 0 ? money("\(79 + number).00") : "null"),\
        "selectedOptions":[{"name":"Size","value":"Large"},{"name":"Color","value":"Green"}],\
        "image":\(image(number))}
        """
    }

    private static func line(_ number: Int) -> String {
        """
        {"__typename":"CartLine","id":"gid://shopify/CartLine/5c4b2d1e-\(1_000 + number)?cart=hWN1xvbS0yZ2Jm","quantity":\(number + 1),\
        "attributes":[{"key":"engraving","value":"Für Å\(number)"},{"key":"wrapping","value":"Brown paper, string, and a card that says: with \
        love from all of us at the office, and see you at the lake"}],\
        "cost":{"amountPerQuantity":\(money("59.00")),"subtotalAmount":\(money("118.00")),"totalAmount":\(money("106.20"))},\
        "discountAllocations":[{"discountedAmount":\(money("11.80"))}],\
        "merchandise":{"__typename":"ProductVariant","id":"gid://shopify/ProductVariant/\(44_717_000_000 + number)",\
        "title":"Large / Green","sku":"WB-\(1000 + number)-LG","availableForSale":true,"requiresShipping":true,\
        "price":\(money("59.00")),"compareAtPrice":null,"weight":1.25,"weightUnit":"KILOGRAMS",\
        "selectedOptions":[{"name":"Size","value":"Large"},{"name":"Color","value":"Green"}],"image":\(image(number)),\
        "product":{"id":"gid://shopify/Product/\(8_219_200_000 + number)","handle":"wool-blanket-\(number)","title":"Wool blanket",\
        "vendor":"Weavers' Guild"}}}
        """
    }
}
