internal import IdentityKit

/// The cost of an operation in points (`extensions.cost`), for APIs that report it.
///
/// Source: shopify.dev, "Shopify API limits", section "Calculated query cost".
public struct GraphQLCost: Sendable, Equatable {
    /// The highest cost that the operation can have, which Shopify calculates before it executes the operation.
    public let requested: Double?
    /// The actual cost; nil if the response does not contain it, for example because the operation was throttled.
    public let actual: Double?
    /// The largest number of points that can be available.
    public let maximumAvailable: Double?
    /// The points that are available now.
    public let currentlyAvailable: Double?
    /// The points that Shopify restores each second.
    public let restoreRate: Double?

    init?(_ value: JSONValue?) {
        guard let value, value.object != nil else { return nil }
        func points(_ value: JSONValue?) -> Double? {
            value?.number.flatMap { Double($0.text) }.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
        }
        let bucket = value["throttleStatus"]
        requested = points(value["requestedQueryCost"])
        actual = points(value["actualQueryCost"])
        maximumAvailable = points(bucket?["maximumAvailable"])
        currentlyAvailable = points(bucket?["currentlyAvailable"])
        restoreRate = points(bucket?["restoreRate"])
    }
}

extension GraphQLCost {
    /// The time until Shopify has restored enough points for the operation, at most an hour; nil if the points suffice or are unknown.
    var pause: Duration? {
        guard let requested, let currentlyAvailable, let restoreRate, restoreRate > 0, requested > currentlyAvailable
        else { return nil }
        return .seconds(min((requested - currentlyAvailable) / restoreRate, 3600))
    }
}
