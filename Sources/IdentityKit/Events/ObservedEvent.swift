/// An event of sessions, providers, GraphQL operations or carts, in one form for log lines, metrics and spans (``EventBridge``).
public struct ObservedEvent: Sendable {
    /// How urgent an event is.
    public enum Level: String, Sendable {
        /// An event of normal operation.
        case debug
        /// A failure, the end of a session, or another event that an operator may want to see.
        case notice
        /// An operator must act: an attack is suspected, or the store did not save new tokens.
        case critical
    }

    /// A stable name in snake case, for example `identity_refreshed`, `graphql_finished` or `cart_gone`.
    public let name: String
    /// The outcome, error code or reason; nil if the event has none.
    public let detail: String?
    /// How urgent the event is.
    public let level: Level
    /// How long the operation took; nil for an event that does not end an operation.
    public let duration: Duration?
    /// Labels for a metric, for example `provider` and `detail`; they have a bounded number of different values.
    public let labels: [(name: String, value: String)]
    /// Values for a log line, for example `session` (a ``SessionReference``) and `correlation_id`; no secret.
    ///
    /// `client_address` and `user_agent` are personal data, and are present only if the app permits it (``BuyerBrowser``).
    public let metadata: [(name: String, value: String)]

    /// Creates an event, for another source of events.
    ///
    /// Labels and metadata with empty values are left out, and ``detail`` becomes a label.
    public init(
        _ name: String,
        detail: String? = nil,
        level: Level,
        duration: Duration? = nil,
        labels: [(name: String, value: String?)] = [],
        metadata: [(name: String, value: String?)] = []
    ) {
        self.name = name
        self.detail = detail
        self.level = level
        self.duration = duration
        self.labels = Self.present(labels + [("detail", detail)])
        self.metadata = Self.present(metadata)
    }

    private static func present(_ fields: [(name: String, value: String?)]) -> [(name: String, value: String)] {
        fields.compactMap { field in field.value.flatMap { $0.isEmpty ? nil : (field.name, $0) } }
    }
}
