import IdentityKit
import ShopifyGraphQL
import TestGuides
import Testing

/// A type that the configuration of the generated code names.
struct ShopKey: GraphQLReadable, GraphQLWritable, Equatable {
    let text: String
    init(_ text: String) { self.text = text }
    init(_ node: GraphQLNode) throws(GraphQLReadingError) { text = try node.text() }
    var graphQLValue: JSONValue { .string(text) }
}

/// The generated code of this target: it compiles, it is what the generator writes now, and it reads and writes.
@Suite struct GoldenTests {
    private func data(_ text: String) throws -> GraphQLNode { try GraphQLNode(parsing: Array(text.utf8)) }

    private func sent(_ variables: GraphQLInputObject) -> String {
        String(decoding: JSONValue.object(variables.json).serialized, as: UTF8.self)
    }

    @Test("aliases, keywords, optional parts, overridden types and unknown enum values are read", .row("B7"))
    func reading() throws {
        let page = try ShopPage.output(
            data(
                #"""
                {"shop":{"id":"1","name":"N","motto":"M","in":"I","default":true,"self":null,"init":7,"Type":8,"more":[],
                 "type":{"city":"C","Type":{"id":"9"}},"string":{"string":"S"},"country":"ATLANTIS","oldName":null,
                 "founded":null,"strange":"x","cartId":"k","photos":[{"url":"u","width":3}],
                 "things":{"nodes":[{"__typename":"Boat","id":"b","sails":2,"node":"b"},
                  {"__typename":"Ship","id":"s","tons":1.5,"title":4,"node":"s"},{"__typename":"Person","node":"p"},
                  {"__typename":"Comet"}],"pageInfo":{"hasNextPage":true,"endCursor":"e"}},
                 "money":{"amount":"1.50","currency":"EUR"}},"other":null}
                """#
            )
        )
        let shop = try #require(page.shop)
        #expect(shop.shopCard.name == "N" && shop.motto == "M" && shop.`in` == "I" && shop.`default` == true)
        #expect(shop.selfValue == nil && shop.initValue == 7 && shop.TypeValue == 8)
        #expect(shop.type?.city == "C" && shop.type?.TypeValue?.id == "9" && shop.string?.string == "S")
        #expect(shop.country == Country(rawValue: "ATLANTIS") && shop.cartID == ShopKey("k"))
        #expect(
            shop.hidden == nil && shop.secret == nil && shop.photos.compactMap { $0?.width } == [3] && page.other == nil
        )
        #expect(shop.things.pageInfo.endCursor == "e")
        guard case .boat(let boat) = shop.things.nodes[0], case .ship(let ship) = shop.things.nodes[1],
            case .node(let person) = shop.things.nodes[2]
        else { return #expect(Bool(false), "\(shop.things.nodes)") }
        #expect(boat.sails == 2 && boat.node == "b" && ship.tons == 1.5 && ship.title == 4 && person.node == "p")
        guard case .other("Comet") = shop.things.nodes[3] else { return #expect(Bool(false)) }
    }

    @Test("fields that all types have are read beside the fields of one type, also for an unknown type", .row("B8"))
    func interfaces() throws {
        let shop = try NodeByID.output(data(#"{"node":{"__typename":"Shop","id":"1","name":"N","tag":"t"}}"#))
        #expect(shop?.nodeParts.id == "1")
        guard case .shop(let card) = shop?.concrete else { return #expect(Bool(false)) }
        #expect(card.shopCard.name == "N" && card.tag == "t")
        let comet = try NodeByID.output(data(#"{"node":{"__typename":"Comet","id":"2"}}"#))
        guard case .other("Comet") = comet?.concrete else { return #expect(Bool(false)) }
        #expect(comet?.nodeParts.id == "2")
        let none = try NodeByID.output(data(#"{"node":null}"#))
        #expect(none == nil)
        let nodes = try AllNodes.output(data(#"{"nodes":[null,{"__typename":"Boat","id":"b"}]}"#))
        #expect(nodes.map { $0?.typename } == [nil, "Boat"])
    }

    @Test("a response is read with and without the parts that have a condition")
    func conditions() throws {
        let all = try Conditional.output(
            data(
                #"""
                {"shop":{"name":"N","id":"1"},"node":{"__typename":"Shop","id":"1","description":"D"},
                 "part":{"__typename":"Shop","id":"1","name":"N"}}
                """#
            )
        )
        let some = try Conditional.output(
            data(
                #"""
                {"shop":{"name":"N"},"node":{"__typename":"Shop","id":"1"},"part":{"__typename":"Shop","id":"1"}}
                """#
            )
        )
        #expect(all.shop?.id == "1" && some.shop?.name == "N" && some.shop?.id == nil)
        for (output, description, name) in [(all, "D", "N"), (some, nil, nil)] {
            guard case .shop(let shop) = output.node?.concrete, case .shop(let part) = output.part?.concrete
            else { return #expect(Bool(false), "\(output)") }
            #expect(output.node?.id == "1" && shop.description == description && part.name == name)
        }
    }

    @Test("a missing part is an error that names its path", .row("B5"))
    func errors() throws {
        let error = #expect(throws: GraphQLReadingError.self) {
            try Rename.output(data(#"{"rename":{"shop":{"id":"1"},"problems":[]}}"#))
        }
        #expect(error?.path == ".rename.shop.name")
        #expect(throws: GraphQLReadingError.self) { try Rename.output(data(#"{"rename":null}"#)) }
    }

    @Test("mutations with the same payload share one generic type")
    func payloads() throws {
        let renamed: ShopPayload<ShopCard> = try Rename.output(
            data(#"{"rename":{"shop":{"id":"1","name":"N"},"problems":[{"code":"NEW","message":"m","field":null}]}}"#)
        )
        let moved: ShopPayload<Move.Shop> = try Move.output(
            data(#"{"move":{"shop":{"id":"1","country":"DO"},"problems":[]}}"#)
        )
        #expect(renamed.shop?.name == "N" && renamed.problems.first?.code == ProblemCode(rawValue: "NEW"))
        #expect(moved.shop?.country == .do)
        #expect(try Count.output(data(#"{"count":{"count":3,"problems":[]}}"#)).count == 3)
    }

    @Test("a nullable input is unset, null or a value, and a variable with a default is not sent unless it is set")
    func inputs() {
        #expect(sent(Search().variables) == "{}")
        #expect(sent(Search(filter: .null, limit: .set(4)).variables) == #"{"filter":null,"limit":4}"#)
        let inner = Filter(value: "i")
        let filter = Filter(
            value: "v",
            limit: 9,
            not: .set(GraphQLInputObject()),
            and: .set([inner]),
            price: .set(0.5),
            tags: .set(["t"]),
            country: .set(.in),
            in: .null,
            secret: .set(Secret("s"))
        )
        #expect(
            sent(Search(filter: .set(filter)).variables)
                == #"{"filter":{"value":"v","limit":9,"not":{},"and":[{"value":"i"}],"price":0.5,"tags":["t"],"country":"IN","in":null,"secret":"s"}}"#
        )
        #expect(sent(Rename(id: ShopKey("k"), name: "n").variables) == #"{"id":"k","name":"n"}"#)
        #expect(sent(DoubleName(documentValue: "d", node: .set("n")).variables) == #"{"document":"d","node":"n"}"#)
    }

    @Test(
        "context variables are not properties of the operation, and documents have the configured repetition and privacy"
    )
    func documents() {
        #expect(ShopPage.document.contextVariables == ["country", "language"])
        #expect(sent(ShopPage(selfValue: .set("x")).variables) == #"{"self":"x"}"#)
        #expect(
            ShopPage.document.name == "ShopPage" && ShopPage.document.kind == .query && !ShopPage.document.isPersonal
        )
        #expect(Rename.document.repetition == .always && Count.document.repetition == .afterReading)
        #expect(Move.document.repetition == .never && Search.document.repetition == .always && Move.document.isPersonal)
    }

    @Test("no user's value is part of a document: values are in variables only", .row("B1"))
    func constants() {
        let value = "\"}) { shop { id } } #"
        for operation in [Search(filter: .set(Filter(value: value))), Search()] {
            #expect(!type(of: operation).document.text.contains(value))
        }
        #expect(Search.document == Search.document && Search.document.text.hasPrefix("query Search($filter: Filter"))
        #expect(NodeByID.document.text.contains(##"tag(key: "\"\"\"#")"##))
        #expect(
            sent(Search(filter: .set(Filter(value: value))).variables).contains(#""value":"\"}) { shop { id } } #""#)
        )
    }

    @Test("types with secrets, and all operations, do not print their values")
    func redaction() throws {
        let filter = Filter(value: "secret-value")
        for value in [filter, Search(filter: .set(filter)), Rename(id: ShopKey("secret-value"), name: "n")] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!"\(value) \(String(reflecting: value)) \(dumped)".contains("secret-value"))
        }
        let money = try MoneyParts(data(#"{"amount":"123.45","currency":"EUR"}"#))
        #expect(!"\(money)".contains("123.45"))
    }
}
