extension GraphQLCost {
    /// The time until Shopify has restored enough points for the operation, at most an hour; nil if it is unknown or the points suffice.
    var pause: Duration? {
        guard let requested, let currentlyAvailable, let restoreRate, restoreRate > 0, requested > currentlyAvailable
        else { return nil }
        return .seconds(min((requested - currentlyAvailable) / restoreRate, 3600))
    }
}
