import IdentityHTTP
import IdentityKit
import IdentityLoopback
import ShopifyGraphQL
import Synchronization

/// A document that the test chooses by type.
protocol ProbeDocument: Sendable {
    static var document: GraphQLDocument { get }
}

/// A query whose response all buyers may share.
enum Shared: ProbeDocument {
    static let document = GraphQLDocument(
        name: "Shared",
        kind: .query,
        text: "query Shared($country: CountryCode) @inContext(country: $country) { shop { name } }",
        contextVariables: ["country"],
        isPersonal: false
    )
}

enum Personal: ProbeDocument {
    static let document = GraphQLDocument(name: "Personal", kind: .query, text: "query Personal { shop { name } }")
}

/// A query with every argument that `@inContext` has.
enum Contextual: ProbeDocument {
    static let document = GraphQLDocument(
        name: "Contextual",
        kind: .query,
        text: """
            query Contextual(
              $country: CountryCode, $language: LanguageCode, $preferredLocationId: ID, $buyer: BuyerInput,
              $visitorConsent: VisitorConsent
            ) @inContext(
              country: $country, language: $language, preferredLocationId: $preferredLocationId, buyer: $buyer,
              visitorConsent: $visitorConsent
            ) { shop { name } }
            """,
        contextVariables: ["country", "language", "preferredLocationId", "buyer", "visitorConsent"],
        isPersonal: false
    )
}

/// A mutation that sets a state.
enum Sets: ProbeDocument {
    static let document = mutation("Sets", .always)
}

/// A mutation whose repetition at worst leaves an unused object.
enum Creates: ProbeDocument {
    static let document = mutation("Creates", .once)
}

/// A mutation that adds.
enum Adds: ProbeDocument {
    static let document = mutation("Adds", .afterReading)
}

enum Pays: ProbeDocument {
    static let document = mutation("Pays", .never)
}

private func mutation(_ name: String, _ repetition: GraphQLDocument.Repetition) -> GraphQLDocument {
    GraphQLDocument(
        name: name,
        kind: .mutation,
        text: "mutation \(name) { shop { name } }",
        repetition: repetition
    )
}

/// An operation that reads the name of a shop, with any document.
struct Probe<Document: ProbeDocument>: GraphQLOperation {
    static var document: GraphQLDocument { Document.document }
    var variables = GraphQLInputObject()

    struct Output: GraphQLReadable {
        let name: String

        init(_ node: GraphQLNode) throws(GraphQLReadingError) {
            name = try node.field("shop", as: Shop.self).name
        }
    }

    struct Shop: GraphQLReadable {
        let name: String

        init(_ node: GraphQLNode) throws(GraphQLReadingError) {
            name = try node.field("name")
        }
    }
}

final class EventRecorder: GraphQLObserver {
    private let state = Mutex<[GraphQLEvent]>([])

    var events: [GraphQLEvent] { state.withLock { $0 } }
    var kinds: [GraphQLEvent.Kind] { events.map(\.kind) }

    func graphQLEvent(_ event: GraphQLEvent) { state.withLock { $0.append(event) } }
}

/// Responses that are returned in order; the last one is repeated.
final class Answers: Sendable {
    private let rest: Mutex<[LoopbackResponse]>

    init(_ answers: [LoopbackResponse]) { rest = Mutex(answers) }

    func next() -> LoopbackResponse {
        rest.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? .message(status: 500) }
    }
}

extension FakeStorefront {
    static func start(_ answers: [LoopbackResponse]) async throws -> FakeStorefront {
        let answers = Answers(answers)
        return try await start { _ in answers.next() }
    }
}

extension LoopbackResponse {
    static let mugs = LoopbackResponse.json(#"{"data":{"shop":{"name":"Mugs"}}}"#)
    static let throttled = LoopbackResponse.json(
        #"{"data":null,"errors":[{"message":"Throttled","extensions":{"code":"THROTTLED"}}]}"#
    )
    static let unavailable = LoopbackResponse.json(
        #"{"data":{"shop":{"name":"-","userErrors":[{"code":"SERVICE_UNAVAILABLE"}]}}}"#
    )

    static func status(_ status: Int, retryAfter: String? = nil) -> LoopbackResponse {
        let headers = [("Content-Type", "text/html"), ("X-Request-Id", "r-\(status)")]
        return .message(
            status: status,
            headers: headers + (retryAfter.map { [("Retry-After", $0)] } ?? []),
            body: Array("<h1>No</h1>".utf8)
        )
    }
}
