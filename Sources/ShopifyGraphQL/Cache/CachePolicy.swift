/// Whether a cache may answer an operation, and when.
///
/// A client without a cache goes to the network whatever the policy says, but for ``cacheOnly``. Mutations, documents that are
/// ``GraphQLDocument/isPersonal``, calls in a buyer's name, and answers with errors are never kept.
public enum CachePolicy: Sendable, Hashable {
    /// The network alone: the cache is neither read nor written.
    case networkOnly
    /// What the cache has, if it is younger than this; else the network, whose answer is kept.
    case cacheFirst(expireIn: Duration)
    /// The network, whose answer is kept; where it fails for a while (`IdentityError.Kind.retryLater`), what the cache has, if it
    /// is younger than this. Such an answer says so: ``GraphQLOrigin/stale(age:because:)``.
    case networkFirst(expireIn: Duration)
    /// What the cache has, however old; an error with code `IdentityError.Code.cacheMiss` where it has nothing.
    case cacheOnly
}
