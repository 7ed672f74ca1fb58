public import IdentityKit

/// An event of a GraphQL operation, for logs and metrics.
///
/// It never contains the value of a variable, a token or the data of a response.
public struct GraphQLEvent: Sendable {
    /// The kind of an event.
    public enum Kind: Sendable, Equatable {
        /// The operation returned a result, or threw an error with this code.
        case finished(IdentityError.Code?)
        /// An attempt failed with this code. The client plans to send the operation again after this pause.
        case repeated(IdentityError.Code, after: Duration)
        /// Shopify announced with this text, usually a link, that the operation will stop working. Reported once for each document.
        case deprecated(String)
        /// Shopify served the request with this version instead of the requested one. Reported once for each document.
        case servedByAnotherVersion(ShopifyAPIVersion)
        /// These members of the call's context were not sent, because the document does not declare variables for them. Reported once for
        /// each document and list of members.
        case contextNotSent([String])
        /// Shopify rejected requests as an attack (HTTP 430). For the given time, this process sends no request to the shop's API.
        case paused(Duration)
        /// The shop responds again after it rejected a request as an attack.
        case resumed
        /// The result came from a cache. `failure` is the error code of the call's failed request; nil if the call sent no request.
        case cached(failure: IdentityError.Code?)

        /// A stable name, for a label of a metric.
        public var name: String {
            switch self {
            case .finished: "finished"
            case .repeated: "repeated"
            case .deprecated: "deprecated"
            case .servedByAnotherVersion: "served_by_another_version"
            case .contextNotSent: "context_not_sent"
            case .paused: "paused"
            case .resumed: "resumed"
            case .cached: "cached"
            }
        }

        /// The error's code, for a second label; nil for an event without an error.
        public var detail: String? {
            switch self {
            case .finished(let code), .cached(let code): code?.rawValue
            case .repeated(let code, _): code.rawValue
            case .deprecated, .servedByAnotherVersion, .contextNotSent, .paused, .resumed: nil
            }
        }
    }

    /// The kind of the event.
    public let kind: Kind
    /// The operation's name in the document.
    public let operation: String
    /// The document's ``GraphQLDocument/identifier``.
    public let identifier: String
    /// The host of the API's URL.
    public let host: String
    /// Shopify's last request id for this call; nil if the call got no response with an id.
    ///
    /// The events ``Kind/cached(failure:)``, ``Kind/resumed`` and ``Kind/contextNotSent(_:)`` never have a request id.
    public let requestID: String?
    /// The number of attempts that the call has made so far.
    ///
    /// It is 0 before the first attempt, for example if the call uses a cached response or the request of another call. It is also 0 in
    /// every event ``Kind/cached(failure:)`` and ``Kind/resumed``.
    public let attempts: Int
    /// The time since the start of the operation.
    public let duration: Duration
    /// The correlation id; the errors of the same operation have the same id.
    public let correlationID: String
}

/// Receives the events of operations, for logs and metrics.
public protocol GraphQLObserver: Sendable {
    /// Receives an event.
    ///
    /// The client calls this function synchronously on the task that caused the event, so return quickly.
    func graphQLEvent(_ event: GraphQLEvent)
}

extension EventBridge: GraphQLObserver {
    /// Sends an event of a GraphQL operation as an ``ObservedEvent``.
    public func graphQLEvent(_ event: GraphQLEvent) {
        send(
            ObservedEvent(
                "graphql_" + event.kind.name,
                detail: event.kind.detail,
                level: event.kind.isOrdinary ? .debug : .notice,
                duration: event.duration,
                labels: [("host", event.host), ("operation", event.operation)],
                metadata: [("request_id", event.requestID), ("correlation_id", event.correlationID)]
            )
        )
    }
}

extension GraphQLEvent.Kind {
    fileprivate var isOrdinary: Bool {
        switch self {
        case .finished(nil), .cached(nil), .resumed: true
        case .finished, .cached, .repeated, .deprecated, .servedByAnotherVersion, .contextNotSent, .paused: false
        }
    }
}
