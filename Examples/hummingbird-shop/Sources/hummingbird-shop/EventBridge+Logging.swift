// The events of sign-ins, sessions, GraphQL operations and carts as log lines of swift-log and metrics of swift-metrics. Copy
// this file into your app: Documentation/Using/LoggingAndMetrics.md.

internal import IdentityKit
internal import Logging
internal import Metrics

extension EventBridge {
    /// Logs each event, counts it as `NAME_total`, and records its duration as `NAME_seconds`.
    ///
    /// Labels have a bounded number of values, so they go into the log and into the metrics. Session references and correlation ids go
    /// into the log only.
    init(logger: Logger) {
        self.init { event in
            let fields = (event.labels + event.metadata).map { ($0.name, Logger.MetadataValue.string($0.value)) }
            logger.log(
                level: event.level.logLevel,
                "\(event.name)",
                metadata: Logger.Metadata(fields) { first, _ in first }
            )
            let dimensions = event.labels.map { ($0.name, $0.value) }
            Counter(label: "\(event.name)_total", dimensions: dimensions).increment()
            if let duration = event.duration {
                Metrics.Timer(label: "\(event.name)_seconds", dimensions: dimensions)
                    .recordNanoseconds(Int64(duration / .nanoseconds(1)))
            }
        }
    }
}

extension ObservedEvent.Level {
    /// `critical` means that an operator must act.
    fileprivate var logLevel: Logger.Level {
        switch self {
        case .debug: .debug
        case .notice: .notice
        case .critical: .critical
        }
    }
}
