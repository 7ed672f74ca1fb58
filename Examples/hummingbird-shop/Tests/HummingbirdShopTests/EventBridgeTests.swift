import IdentityKit
import InMemoryLogging
import Logging
import Metrics
import MetricsTestKit
import Testing

@testable import hummingbird_shop

@Suite("Events as log lines and metrics")
struct EventBridgeTests {
    @Test("an event is a log line with all its fields, a counter and a timer with its labels")
    func event() throws {
        let metrics = TestMetrics()
        MetricsSystem.bootstrap(metrics)
        let log = InMemoryLogHandler()
        var logger = Logger(label: "shop") { _ in log }
        logger.logLevel = .trace
        let bridge = EventBridge(logger: logger)
        bridge.send(
            ObservedEvent(
                "identity_refreshed",
                detail: "refreshed_late",
                level: .debug,
                duration: .milliseconds(1_500),
                labels: [("provider", "shopify")],
                metadata: [("session", "reference"), ("correlation_id", "c1")]
            )
        )
        bridge.send(ObservedEvent("identity_tokens_not_durable", level: .critical))

        let line = try #require(log.entries.first)
        #expect(line.message == "identity_refreshed" && line.level == .debug)
        let fields: Logger.Metadata = [
            "provider": "shopify", "detail": "refreshed_late", "session": "reference", "correlation_id": "c1",
        ]
        #expect(line.metadata == fields)
        #expect(log.entries.last?.level == .critical)
        let labels = [("provider", "shopify"), ("detail", "refreshed_late")]
        #expect(try metrics.expectCounter("identity_refreshed_total", labels).totalValue == 1)
        #expect(try metrics.expectTimer("identity_refreshed_seconds", labels).lastValue == 1_500_000_000)
        #expect(try metrics.expectCounter("identity_tokens_not_durable_total").totalValue == 1)
        #expect(metrics.timers.count == 1)
    }
}
