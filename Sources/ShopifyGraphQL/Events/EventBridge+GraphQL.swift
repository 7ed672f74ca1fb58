public import IdentityKit

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
