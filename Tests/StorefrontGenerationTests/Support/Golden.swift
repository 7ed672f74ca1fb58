import Foundation
import StorefrontGeneration

/// Documents whose generated code is part of this test target, so that it compiles and runs.
enum Golden {
    static let documents = #"""
        # A shop, as a page shows it.
        # "Quotes", \(interpolation) and */ do no harm.
        query ShopPage($id: ID, $first: Int = 2, $wide: Boolean! = true, $country: Country, $language: String, $self: ID)
        @inContext(country: $country, language: $language) {
          shop(id: $id) {
            ...ShopCard
            # Said in one word.
            motto: description
            in: name
            default
            self
            init
            Type
            type { city Type: shop { id } }
            string: type { string: city }
            country
            oldName
            founded
            strange
            cartId
            hidden: name @include(if: $wide)
            ... @skip(if: $wide) { secret: name }
            photos { ...PhotoParts }
            things(first: $first) { nodes { ...ThingParts } pageInfo { hasNextPage endCursor } }
            money { ...MoneyParts }
          }
          other: shop(id: $self) { id }
        }
        fragment ShopCard on Shop { id name }
        fragment PhotoParts on Photo { url width }
        fragment MoneyParts on Money { amount currency }
        fragment ThingParts on Thing {
          ... on Boat { id sails }
          ... on Ship { id tons title: name }
          ... on Node { node: id }
        }
        fragment NodeParts on Node { id }

        query NodeByID($id: ID!) {
          node(id: $id) {
            ...NodeParts
            ... on Shop { ...ShopCard }
            ... on Tagged { tag(key: "\"\"\"#") }
          }
        }
        query AllNodes($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }
        query Search($filter: Filter, $limit: Int) { search(filter: $filter, limit: $limit) { ...ThingParts } }
        query DoubleName($document: ID!, $variables: Int! = 1, $input: ID, $node: ID, $data: ID, $output: ID) {
          a: node(id: $document) { id } need(a: $variables) b: shop(id: $input) { id } c: shop(id: $node) { id }
          d: shop(id: $data) { id } e: shop(id: $output) { id }
        }
        query Conditional($with: Boolean!) {
          shop { name }
          shop @include(if: $with) { id }
          node(id: 1) { id ... @include(if: $with) { ... on Shop { description } } }
          part: node(id: 1) { id }
          part: node(id: 1) @include(if: $with) { ... on Shop { name } }
        }
        query MyPlace { place { city shop { ...ShopCard } } }
        mutation Rename($id: ID!, $name: String!, $note: String) {
          rename(id: $id, name: $name, note: $note) { shop { ...ShopCard } problems { ...ProblemParts } }
        }
        mutation Move($id: ID!, $to: Filter!) { move(id: $id, to: $to) { problems { ...ProblemParts } shop { id country } } }
        mutation Count($id: ID!) { count(id: $id) { count problems { ...ProblemParts } } }
        fragment ProblemParts on Problem { code message field }
        """#

    static let configuration = """
        { "payloads": { "ShopPayload": ["shop", "problems"] }, "types": { "Filter.secret": "Secret", "Shop.cartId": "ShopKey" },
          "variables": { "Rename.id": "ShopKey" }, "imports": { "Secret": "IdentityKit" }, "redacted": ["Filter", "Money"],
          "repetition": { "Rename": "always", "Count": "afterReading" }, "isPersonal": { "ShopPage": false },
          "equatable": ["ThingParts", "ShopCard"] }
        """

    static var folder: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Generated")
    }

    static func files() throws -> [String: String] {
        let result = try generate(documents, configuration: configuration)
        return result.files
    }
}
