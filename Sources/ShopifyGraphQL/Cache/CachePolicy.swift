/// Whether a call may use a cached response, and how old the cached response may be.
///
/// A client without a cache sends a request, except with ``cacheOnly``. The client never stores a response with errors, or the response to
/// a mutation, to a personal document (``GraphQLDocument/isPersonal``) or to a call for a buyer.
public enum CachePolicy: Sendable, Hashable {
    /// Only the network: the cache is neither read nor written.
    case networkOnly
    /// Returns the cached response if it is younger than `expireIn`; otherwise requests a new response and stores it.
    case cacheFirst(expireIn: Duration)
    /// Requests the response from the network and stores it.
    ///
    /// If the request fails temporarily (`IdentityError.Kind.retryLater`), returns a cached response that is younger than `expireIn`. The
    /// origin of the result is then ``GraphQLOrigin/stale(age:because:)``.
    case networkFirst(expireIn: Duration)
    /// Returns only the cached response, of any age. If it is missing or invalid, throws an error with code
    /// `IdentityError.Code.cacheMiss`.
    case cacheOnly
}
