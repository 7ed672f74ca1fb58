public import FoundationEssentials
internal import IdentityHTTP
internal import IdentityKit

/// What came with an answer beside data and errors.
public struct GraphQLMetadata: Sendable, Equatable {
    /// The HTTP status.
    public let status: Int
    /// Shopify's id of the request, for its support (`X-Request-Id`).
    public let requestID: String?
    /// The version that was asked for.
    public let askedVersion: ShopifyAPIVersion
    /// The version that answered (`X-Shopify-API-Version`); another than the one asked for when that has left.
    public let servedVersion: ShopifyAPIVersion?
    /// Why the request will stop working (`X-Shopify-API-Deprecated-Reason`).
    public let deprecatedReason: String?
    /// What the operation cost, where the API tells.
    public let cost: GraphQLCost?

    /// When Shopify answered, by its own clock (`Date`).
    public let date: Date?

    /// Whether another version answered than the one asked for: that one has left, and the oldest supported one took its
    /// place without an error.
    public var isFallForward: Bool { servedVersion.map { $0 != askedVersion } ?? false }

    init(_ response: HTTPResponse, asked: ShopifyAPIVersion, cost: GraphQLCost?, hiding secrets: RedactedValues) {
        status = response.status
        requestID = response.headers["X-Request-Id"].map { String(secrets.hidden(in: $0).prefix(200)) }
        askedVersion = asked
        servedVersion = response.headers["X-Shopify-API-Version"].map {
            ShopifyAPIVersion(rawValue: String(secrets.hidden(in: $0).prefix(20)))
        }
        deprecatedReason = response.headers["X-Shopify-API-Deprecated-Reason"].map { secrets.hidden(in: $0) }
        date = response.headers.date("Date").map { Date(timeIntervalSince1970: Double($0)) }
        self.cost = cost
    }
}
