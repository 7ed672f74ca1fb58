extension GraphQLCost {
    /// The time until there are enough points for the operation, at most an hour; nil when it is unknown or there are enough.
    var pause: Duration? {
        guard let requested, let currentlyAvailable, let restoreRate, restoreRate > 0, requested > currentlyAvailable
        else { return nil }
        return .seconds(min((requested - currentlyAvailable) / restoreRate, 3600))
    }
}
