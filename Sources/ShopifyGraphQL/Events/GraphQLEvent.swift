public import IdentityKit

/// Something that happened to an operation; never holds a variable, a token or an answer.
public struct GraphQLEvent: Sendable {
    /// What happened.
    public enum Kind: Sendable, Equatable {
        /// The operation ended: with data, or with this code.
        case finished(IdentityError.Code?)
        /// An attempt failed with this code; another follows after the pause.
        case repeated(IdentityError.Code, after: Duration)
        /// Shopify says that the operation will stop working, and where to read about it; told once for each document.
        case deprecated(String)
        /// Another version answered than the one asked for, which has left; told once for each document.
        case servedByAnotherVersion(ShopifyAPIVersion)
        /// The shop takes the client for an attacker (HTTP 430), and is not asked for this long.
        case paused(Duration)
        /// The shop that was not asked for a while answers again.
        case resumed
        /// A cache answered: with something good, or with something old because the API failed with this code.
        case cached(failure: IdentityError.Code?)

        /// A stable name, for a metric's label.
        public var name: String {
            switch self {
            case .finished: "finished"
            case .repeated: "repeated"
            case .deprecated: "deprecated"
            case .servedByAnotherVersion: "served_by_another_version"
            case .paused: "paused"
            case .resumed: "resumed"
            case .cached: "cached"
            }
        }

        /// What a label can tell beyond the name: the error's code, where there is one.
        public var detail: String? {
            switch self {
            case .finished(let code), .cached(let code): code?.rawValue
            case .repeated(let code, _): code.rawValue
            case .deprecated, .servedByAnotherVersion, .paused, .resumed: nil
            }
        }
    }

    /// What happened.
    public let kind: Kind
    /// The operation's name in the document.
    public let operation: String
    /// The document's ``GraphQLDocument/identifier``.
    public let identifier: String
    /// The API's host, which names the shop.
    public let host: String
    /// Shopify's id of the request, where an answer told it.
    public let requestID: String?
    /// How many attempts there were so far.
    public let attempts: Int
    /// How long it took so far.
    public let duration: Duration
    /// The id that errors of the same operation carry.
    public let correlationID: String
}

/// Listens to what happens to operations, for logs and metrics.
public protocol GraphQLObserver: Sendable {
    /// Called at once, on the task that caused the event: return quickly.
    func graphQLEvent(_ event: GraphQLEvent)
}
