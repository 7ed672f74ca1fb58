import FoundationEssentials
import IdentityKit
import ShopifyGraphQL

/// The answer reader accepts what the strict parser accepts and reads the same; scalars are what they were or refused.
enum GraphQLAnswerFuzz {
    static func check(_ input: [UInt8]) throws {
        let value = try? JSONValue(parsing: input)
        let node = try? GraphQLNode(parsing: input)
        try require((node == nil) == (value == nil), "one of the two parsers refuses what the other accepts")
        let body = try? GraphQLResponseBody(parsing: input)
        try require((body == nil) == (value?.object == nil), "an answer is an object, and every object one")
        guard let node, let value else { return }
        try require(node.json() == value, "the two parsers read another value")
        try compare(node, value)
        if let body {
            let data = value["data"].flatMap { $0.isNull ? nil : $0 }
            try require(body.data?.json() == data, "the data are others")
            try require(body.errors == value["errors"], "the errors are others")
        }
    }

    private static func compare(_ node: GraphQLNode, _ value: JSONValue) throws {
        try require(node.isNull == value.isNull, "null is not null")
        switch value {
        case .null: break
        case .bool(let flag): try require((try? node.flag() == flag) == true, "another truth value")
        case .number(let number):
            try require((try? node.number().isIdentical(to: number.text)) == true, "another number")
            try require((try? node.integer()) == number.integer, "another integer")
        case .string(let text):
            try require((try? node.text().isIdentical(to: text)) == true, "another text")
            try scalars(node, text)
        case .array(let elements):
            let nodes = try require((try? node.elements()).map { Array($0) }, "no list")
            try require(nodes.count == elements.count, "another list")
            for (node, element) in zip(nodes, elements) { try compare(node, element) }
        case .object(let object):
            for (name, value) in object.members {
                try compare(try require(try? node.member(name), "no object"), value)
            }
        }
    }

    private static func scalars(_ node: GraphQLNode, _ text: String) throws {
        if let decimal = try? ShopifyDecimal(node) {
            let again = ShopifyDecimal(decimal.decimal)
            try require(again == nil || again == decimal, "a decimal's value is another")
        }
        if let moment = try? ShopifyDateTime(node), let again = ShopifyDateTime(moment.date) {
            try require(abs(again.date.timeIntervalSince(moment.date)) < 0.001, "a moment is another")
        }
        let texts = [(try? ShopifyURL(node))?.text, (try? ShopifyID(node))?.text, (try? ShopifyColor(node))?.text]
        try require(texts.allSatisfy { $0?.isIdentical(to: text) ?? true }, "a scalar's text is another")
    }
}
