public import FoundationEssentials
internal import IdentityHTTP
internal import IdentityKit

/// What a response says besides data and errors, such as its status, its request id and the served version.
public struct GraphQLMetadata: Sendable, Equatable {
    /// The HTTP status.
    public let status: Int
    /// Shopify's id of the request, for its support (`X-Request-Id`).
    public let requestID: String?
    /// The API version that the client requested.
    public let requestedVersion: ShopifyAPIVersion
    /// The version that served the request (`X-Shopify-API-Version`).
    ///
    /// If Shopify no longer serves the requested version, this is its oldest supported version. Nil if the response has no such header.
    public let servedVersion: ShopifyAPIVersion?
    /// Shopify's announcement that the operation will stop working (`X-Shopify-API-Deprecated-Reason`).
    public let deprecatedReason: String?
    /// The cost of the operation, if the API reports it.
    public let cost: GraphQLCost?

    /// When Shopify responded, by its own clock (`Date`).
    public let date: Date?

    /// Whether Shopify served the request with another version than the requested one; false if the response names no version.
    public var isFallForward: Bool { servedVersion.map { $0 != requestedVersion } ?? false }

    init(_ response: HTTPResponse, asked: ShopifyAPIVersion, cost: GraphQLCost?, hiding secrets: RequestSecrets) {
        status = response.status
        requestID = response.headers["X-Request-Id"].map { String(secrets.hidden(in: $0).prefix(200)) }
        requestedVersion = asked
        servedVersion = response.headers["X-Shopify-API-Version"].map {
            ShopifyAPIVersion(rawValue: String(secrets.hidden(in: $0).prefix(20)))
        }
        deprecatedReason = response.headers["X-Shopify-API-Deprecated-Reason"].map { secrets.hidden(in: $0) }
        date = response.headers.date("Date").map { Date(timeIntervalSince1970: Double($0)) }
        self.cost = cost
    }
}
