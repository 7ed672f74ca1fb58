/// Whether and when a cache may be used for an operation.
///
/// A client without a cache uses the network with every policy but ``cacheOnly``. Mutations, documents that are
/// ``GraphQLDocument/isPersonal``, calls for a buyer, and responses with errors are never stored.
public enum CachePolicy: Sendable, Hashable {
    /// Only the network: the cache is neither read nor written.
    case networkOnly
    /// The cached response, if it is younger than this. Otherwise the network, whose response is stored.
    case cacheFirst(expireIn: Duration)
    /// The network, whose response is stored.
    ///
    /// If it fails temporarily (`IdentityError.Kind.retryLater`), the cached response, if it is younger than this. Its origin is
    /// ``GraphQLOrigin/stale(age:because:)``.
    case networkFirst(expireIn: Duration)
    /// Only the cached response, of any age. Without one, an error with code `IdentityError.Code.cacheMiss`.
    case cacheOnly
}
