extension GraphQLCost {
    /// The time until there are enough points for the operation; nil when it is unknown.
    var pause: Duration? {
        guard let requested, let currentlyAvailable, let restoreRate, restoreRate > 0, requested > currentlyAvailable
        else { return nil }
        return .seconds(min((requested - currentlyAvailable) / restoreRate, 3600))
    }
}
