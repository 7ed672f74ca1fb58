internal import Foundation
internal import IdentityKit
internal import ShopifyGraphQL

/// Reading answers and dates, and writing requests.
struct DecodingBenchmark {
    let time: Duration

    private struct Envelope<Body: Decodable>: Decodable {
        let data: Body
    }

    func run() throws {
        try compare("A page of 17 products with 102 variants", SyntheticAnswers.productPage, BenchProductPage.self)
        try compare("A cart of 4 lines", SyntheticAnswers.cart, BenchCartPage.self)
        try dates()
        try encoding()
    }

    private func compare<Body: GraphQLReadable & Decodable>(
        _ title: String,
        _ bytes: [UInt8],
        _ type: Body.Type
    ) throws {
        let data = Data(bytes)
        let decoder = JSONDecoder()
        Report.heading("\(title): \(bytes.count) bytes")
        let foundation = try Timing.measure(for: time) { keep(try decoder.decode(Envelope<Body>.self, from: data)) }
        let untyped = try Timing.measure(for: time) { keep(try JSONSerialization.jsonObject(with: data)) }
        let values = try Timing.measure(for: time) { keep(try JSONValue(parsing: bytes)) }
        let checked = try Timing.measure(for: time) { keep(try GraphQLResponseBody(parsing: bytes)) }
        let typed = try Timing.measure(for: time) {
            keep(
                try GraphQLResponseBody(parsing: bytes).data.map { node throws(GraphQLReadingError) in try Body(node) }
            )
        }
        Report.line("JSONDecoder, to types", foundation, bytes: bytes.count)
        Report.line("JSONSerialization, untyped", untyped, bytes: bytes.count)
        Report.line("JSONValue, untyped", values, bytes: bytes.count, against: untyped)
        Report.line("GraphQLNode, checked, nothing read", checked, bytes: bytes.count)
        Report.line("GraphQLNode, to types", typed, bytes: bytes.count, against: foundation)
    }

    private func dates() throws {
        let node = try GraphQLNode(parsing: SyntheticAnswers.moments)
        let texts: [String] = try node.list()
        Report.heading("A thousand dates")
        let formatter = ISO8601DateFormatter()
        let old = Timing.measure(for: time) { for text in texts { keep(formatter.date(from: text)) } }
        let style = Date.ISO8601FormatStyle()
        let new = Timing.measure(for: time) { for text in texts { keep(try? style.parse(text)) } }
        let ours = try Timing.measure(for: time) { keep(try node.list(of: ShopifyDateTime.self)) }
        Report.line("ISO8601DateFormatter", old)
        Report.line("Date.ISO8601FormatStyle", new)
        Report.line("ShopifyDateTime, with reading its text", ours, against: new)
    }

    private func encoding() throws {
        var lines: [GraphQLInputObject] = []
        for number in 0..<10 {
            var line = GraphQLInputObject()
            line.set("merchandiseId", "gid://shopify/ProductVariant/\(44_717_000_000 + number)")
            line.set("quantity", number + 1)
            line.set("attributes", [attribute("engraving", "Für Åse")])
            lines.append(line)
        }
        let document = String(repeating: "fragment MoneyFields on MoneyV2 { amount currencyCode }\n", count: 30)
        let encoded = Timing.measure(for: time) {
            var variables = GraphQLInputObject()
            variables.set("cartId", "gid://shopify/Cart/hWN1xvbS0yZ2Jm?key=6f1ed1a8c0b84fb3a9f5")
            variables.set("lines", lines)
            let body: JSONObject = ["query": .string(document), "variables": variables.graphQLValue]
            keep(JSONValue.object(body).serialized)
        }
        Report.heading("A request that adds ten lines")
        Report.line("variables and document to bytes", encoded)
    }

    private func attribute(_ key: String, _ value: String) -> GraphQLInputObject {
        var attribute = GraphQLInputObject()
        attribute.set("key", key)
        attribute.set("value", value)
        return attribute
    }
}

/// Keeps the optimizer from seeing that nobody needs a result.
@inline(never)
func keep<Value>(_ value: Value) {}
