internal import IdentityKit

/// What an operation cost in points, told in `extensions.cost` by the APIs that count them.
///
/// Source: shopify.dev, "Shopify API limits", section "Calculated query cost".
public struct GraphQLCost: Sendable, Equatable {
    /// What it could have cost at most.
    public let requested: Double?
    /// What it did cost; nil where it was throttled.
    public let actual: Double?
    /// How many points the bucket holds when it is full.
    public let maximumAvailable: Double?
    /// How many points are left.
    public let currentlyAvailable: Double?
    /// How many points come back in a second.
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

    /// How long it takes until there are points enough for the operation; nil where that is not told.
    var pause: Duration? {
        guard let requested, let currentlyAvailable, let restoreRate, restoreRate > 0, requested > currentlyAvailable
        else { return nil }
        return .seconds(min((requested - currentlyAvailable) / restoreRate, 3600))
    }
}
