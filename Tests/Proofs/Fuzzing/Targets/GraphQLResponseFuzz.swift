import FoundationEssentials
import IdentityKit
import ShopifyGraphQL

/// Checks that nodes read the same as the JSON value of the same text, and that scalars keep their values.
enum GraphQLResponseFuzz {
    static func check(_ input: [UInt8]) throws {
        let value = try? JSONValue(parsing: input)
        let node = try? GraphQLNode(parsing: input)
        try require((node == nil) == (value == nil), "only one of the two types accepts the input")
        let body = try? GraphQLResponseBody(parsing: input)
        try require((body == nil) == (value?.object == nil), "exactly the objects must be accepted as responses")
        guard let node, let value else { return }
        try require(node.json() == value, "the node and the value differ")
        try compare(node, value)
        if let body {
            let data = value["data"].flatMap { $0.isNull ? nil : $0 }
            try require(body.data?.json() == data, "the data differ")
            try require(body.errors == value["errors"], "the errors differ")
        }
    }

    private static func compare(_ node: GraphQLNode, _ value: JSONValue) throws {
        try require(node.isNull == value.isNull, "null differs")
        switch value {
        case .null: break
        case .bool(let flag): try require((try? node.flag() == flag) == true, "the boolean differs")
        case .number(let number):
            try require((try? node.number().isIdentical(to: number.text)) == true, "the number differs")
            try require((try? node.integer()) == number.integer, "the integer differs")
        case .string(let text):
            try require((try? node.text().isIdentical(to: text)) == true, "the string differs")
            try scalars(node, text)
        case .array(let elements):
            let nodes = try require((try? node.elements()).map { Array($0) }, "not a list")
            try require(nodes.count == elements.count, "the list differs")
            for (node, element) in zip(nodes, elements) { try compare(node, element) }
        case .object(let object):
            for (name, value) in object.members {
                try compare(try require(try? node.member(name), "not an object"), value)
            }
        }
    }

    private static func scalars(_ node: GraphQLNode, _ text: String) throws {
        if let decimal = try? ShopifyDecimal(node) {
            let again = ShopifyDecimal(decimal.decimal)
            try require(again == nil || again == decimal, "the decimal does not round-trip")
        }
        if let moment = try? ShopifyDateTime(node), let again = ShopifyDateTime(moment.date) {
            try require(abs(again.date.timeIntervalSince(moment.date)) < 0.001, "the date does not round-trip")
        }
        let texts = [(try? ShopifyURL(node))?.text, (try? ShopifyID(node))?.text, (try? ShopifyColor(node))?.text]
        try require(texts.allSatisfy { $0?.isIdentical(to: text) ?? true }, "the text of a scalar differs")
    }
}
