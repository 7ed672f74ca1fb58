/// A response with the structure of Shopify's responses and invented values.
enum SyntheticResponses {
    /// A page of 17 products with 102 variants: 112 KB.
    static let productPage: [UInt8] = Array(
        """
        {"data":{"products":{"pageInfo":{"hasNextPage":true,"endCursor":"eyJsYXN0X2lkIjo4MjE5Mn0="},"nodes":[\
        \((0..<17).map(product).joined(separator: ","))]}},"extensions":{"cost":{"requestedQueryCost":187}}}
        """.utf8
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
}
