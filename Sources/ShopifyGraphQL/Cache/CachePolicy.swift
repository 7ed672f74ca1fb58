/// Whether and when a cache may be used for an operation.
///
/// A client without a cache uses the network with every policy but ``cacheOnly``. The client never stores a response with errors, or the
/// response to a mutation, to a personal document (``GraphQLDocument/isPersonal``) or to a call for a buyer.
public enum CachePolicy: Sendable, Hashable {
    /// Only the network: the cache is neither read nor written.
    case networkOnly
    /// Returns the cached response if it is younger than this; if it is older or missing, requests a new response and stores it.
    case cacheFirst(expireIn: Duration)
    /// Requests the response from the network and stores it.
    ///
    /// If the request fails temporarily (`IdentityError.Kind.retryLater`), returns the cached response if it is younger than this. The
    /// origin of the result is then ``GraphQLOrigin/stale(age:because:)``.
    case networkFirst(expireIn: Duration)
    /// Returns only the cached response, of any age. If it is missing or invalid, throws an error with code
    /// `IdentityError.Code.cacheMiss`.
    case cacheOnly
}
