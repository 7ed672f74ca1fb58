import GraphQLLanguage
import IdentityKit
@testable import StorefrontGeneration

/// Schemas of these tests, written in GraphQL's schema definition language and converted to introspection results.
enum TestSchema {
    static func schema(_ definition: String = standard) throws -> GraphSchema {
        try GraphSchema(introspection: introspection(definition))
    }

    static func introspection(_ definition: String) throws -> [UInt8] {
        var parser = try GraphParser(definition)
        var types: [(name: String, value: JSONObject)] = []
        var directives: [JSONValue] = []
        for scalar in ["String", "Int", "Float", "Boolean", "ID"] {
            types.append((scalar, ["kind": "SCALAR", "name": .string(scalar)]))
        }
        while parser.token != .end {
            if try parser.accept("@") {
                let name = try parser.name()
                let arguments = try fields(&parser, open: "(", close: ")")
                var locations: [JSONValue] = []
                while case .name(let word) = parser.token, word == word.uppercased() {
                    locations.append(.string(word))
                    try parser.advance()
                }
                directives.append(["name": .string(name), "locations": .array(locations), "args": .array(arguments)])
            } else {
                types.append(try type(&parser))
            }
        }
        let kinds = Dictionary(uniqueKeysWithValues: types.map { ($0.name, $0.value["kind"] ?? .null) })
        var list: [JSONValue] = []
        for (name, value) in types {
            var value = value
            if value["kind"] == "INTERFACE" {
                let members = types.filter { type in
                    type.value["interfaces"]?.array?.contains { $0["name"] == .string(name) } ?? false
                }
                value["possibleTypes"] = .array(members.map { ["name": .string($0.name)] })
            }
            list.append(withKinds(.object(value), kinds))
        }
        let schema: JSONValue = [
            "queryType": ["name": "Query"], "mutationType": kinds["Mutation"] == nil ? .null : ["name": "Mutation"],
            "types": .array(list), "directives": .array(directives.map { withKinds($0, kinds) }),
        ]
        return JSONValue.object(["data": ["__schema": schema]]).serialized
    }

    /// Fills in the kinds of types that are referred to by name.
    private static func withKinds(_ value: JSONValue, _ kinds: [String: JSONValue]) -> JSONValue {
        switch value {
        case .array(let elements): return .array(elements.map { withKinds($0, kinds) })
        case .object(let object):
            var result = JSONObject()
            for member in object.members { result[member.name] = withKinds(member.value, kinds) }
            if object["isReference"] != nil, let name = object["name"]?.string {
                result["kind"] = kinds[name] ?? "SCALAR"
            }
            return .object(result)
        default: return value
        }
    }

    private static func type(_ parser: inout GraphParser) throws -> (String, JSONObject) {
        var description: JSONValue = .null
        if case .string(let text) = parser.token {
            description = .string(text)
            try parser.advance()
        }
        let keyword = try parser.name()
        let name = try parser.name()
        var value: JSONObject = ["name": .string(name), "description": description]
        switch keyword {
        case "scalar": value["kind"] = "SCALAR"
        case "enum":
            value["kind"] = "ENUM"
            var values: [JSONValue] = []
            try parser.expect("{")
            while try !parser.accept("}") {
                let constant = try parser.name()
                values.append(["name": .string(constant), "isDeprecated": .bool(try isDeprecated(&parser))])
            }
            value["enumValues"] = .array(values)
        case "union":
            value["kind"] = "UNION"
            try parser.expect("=")
            var members: [JSONValue] = []
            repeat { members.append(["name": .string(try parser.name())]) } while try parser.accept("|")
            value["possibleTypes"] = .array(members)
        case "input":
            value["kind"] = "INPUT_OBJECT"
            value["inputFields"] = .array(try fields(&parser, open: "{", close: "}"))
        default:
            value["kind"] = keyword == "interface" ? "INTERFACE" : "OBJECT"
            var interfaces: [JSONValue] = []
            if try parser.acceptKeyword("implements") {
                repeat { interfaces.append(["name": .string(try parser.name())]) } while try parser.accept("&")
            }
            value["interfaces"] = .array(interfaces)
            value["fields"] = .array(try fields(&parser, open: "{", close: "}"))
        }
        return (name, value)
    }

    private static func fields(_ parser: inout GraphParser, open: String, close: String) throws -> [JSONValue] {
        guard try parser.accept(open) else { return [] }
        var fields: [JSONValue] = []
        while try !parser.accept(close) {
            var description: JSONValue = .null
            if case .string(let text) = parser.token {
                description = .string(text)
                try parser.advance()
            }
            let name = try parser.name()
            let arguments = try self.fields(&parser, open: "(", close: ")")
            try parser.expect(":")
            let type = reference(try parser.typeReference())
            let hasDefault = try parser.accept("=")
            let literal = hasDefault ? GraphPrinter.text(try parser.literal()) : nil
            fields.append([
                "name": .string(name), "args": .array(arguments), "type": type, "description": description,
                "defaultValue": literal.map { .string($0) } ?? .null, "isDeprecated": .bool(try isDeprecated(&parser)),
                "deprecationReason": "use another",
            ])
        }
        return fields
    }

    private static func isDeprecated(_ parser: inout GraphParser) throws -> Bool {
        guard try parser.accept("@") else { return false }
        return try parser.acceptKeyword("deprecated")
    }

    private static func reference(_ type: GraphTypeReference) -> JSONValue {
        switch type {
        case .named(let name): ["name": .string(name), "isReference": true]
        case .list(let element): ["kind": "LIST", "ofType": reference(element)]
        case .nonNull(let inner): ["kind": "NON_NULL", "ofType": reference(inner)]
        }
    }

    /// A schema with difficult cases: Swift keywords as names, types that contain each other, unions, interfaces in interfaces.
    static let standard = #"""
        scalar DateTime
        scalar Decimal
        scalar Strange
        enum Country { DO TRY AS IN IS DE NONE SELF INIT some_thing Some_Thing OLD @deprecated }
        enum Unused { A B }
        interface Node { id: ID! }
        interface Tagged { tag(key: String!): String }
        "A place that sells. */ */// `\\(1)"
        type Shop implements Node & Tagged {
          id: ID! tag(key: String!): String name: String! description: String! self: String init: Int default: Boolean
          type: Place Type: Int country: Country! oldName: String @deprecated owner: Person string: Place
          things(first: Int after: String): ThingConnection! photos: [Photo]! money: Money! founded: DateTime strange: Strange
          cartId: ID __typename2: String
        }
        type Place { city: String! shop: Shop near: [Place!] }
        type Photo { url: String! width: Int! }
        type Money { amount: Decimal! currency: String! }
        type Person implements Node { id: ID! email: String! friends(first: Int = 3): [Person!]! }
        type Boat implements Node & Tagged { id: ID! tag(key: String!): String sails: Int! }
        type Ship implements Node & Tagged { id: ID! tag(key: String!): String tons: Float! name: Int! }
        union Thing = Boat | Ship | Person
        type ThingConnection { nodes: [Thing!]! edges: [ThingEdge!]! pageInfo: PageInfo! }
        type ThingEdge { cursor: String! node: Thing! }
        type PageInfo { hasNextPage: Boolean! endCursor: String }
        type Problem { code: ProblemCode message: String! field: [String!] }
        enum ProblemCode { INVALID TOO_LONG }
        type RenamePayload { shop: Shop problems: [Problem!]! }
        type MovePayload { shop: Shop problems: [Problem!]! }
        type CountPayload { shop: Shop count: Int! problems: [Problem!]! }
        input Filter {
          value: String! limit: Int! = 5 not: Filter and: [Filter!] price: Float tags: [String] country: Country in: Boolean
          before: DateTime secret: String
        }
        input Outdated { name: String must: String! @deprecated oldName: String @deprecated }
        type Query {
          shop(id: ID): Shop node(id: ID!): Node nodes(ids: [ID!]!): [Node]! search(filter: Filter limit: Int = 3): [Thing!]!
          people(countries: [Country!]! = [DE]): [Person!]! need(a: Int! b: Int! = 2): Int place: Place oldShop: Shop @deprecated
        }
        type Mutation {
          rename(id: ID! name: String! note: String): RenamePayload
          move(id: ID! to: Filter!): MovePayload
          count(id: ID!): CountPayload
          outdated(o: Outdated!): Int
        }
        @inContext(country: Country language: String buyer: String) QUERY MUTATION
        @defer(if: Boolean) FRAGMENT_SPREAD INLINE_FRAGMENT
        """#
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral,
    ExpressibleByBooleanLiteral
{
    init(stringLiteral text: String) { self = .string(text) }
    init(booleanLiteral flag: Bool) { self = .bool(flag) }
    init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        for (name, value) in elements { object[name] = value }
        self = .object(object)
    }
}

/// Generates Swift code from documents.
func generate(
    _ documents: String...,
    configuration: String = "{}",
    schema: GraphSchema? = nil,
    access: String = "internal"
) throws -> Generator.Result {
    let files = documents.enumerated().map { SourceFile(name: "\($0).graphql", text: $1) }
    let generator = Generator(
        schema: try schema ?? TestSchema.schema(),
        configuration: try Configuration(parsing: Array(configuration.utf8)),
        access: access
    )
    return try generator.run(files)
}
