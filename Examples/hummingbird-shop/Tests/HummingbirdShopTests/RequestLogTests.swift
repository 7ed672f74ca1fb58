import Hummingbird
import IdentityTesting
import IdentityWeb
import InMemoryLogging
import Logging
import Testing

@testable import hummingbird_shop

@Suite("The request log")
struct RequestLogTests {
    @Test("the log hides all values of a query except those of permitted parameters")
    func callback() async throws {
        let log = InMemoryLogHandler()
        var logger = Logger(label: "shop") { _ in log }
        logger.logLevel = .trace
        let server = try await StageServer.start(address: "127.0.0.1", logger: logger) { _ in
            WebAdapterConformance.handler
        }
        for target in ["/auth/callback/any?code=5ecret1&state=5ecret2&%63ode=5ecret3", "/?q=mug&token=5ecret4"] {
            _ = try await server.exchange("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        }
        await server.stop()
        let lines = log.entries.filter { $0.message == "Request" }
        let targets = lines.map { $0.metadata["target"] }
        #expect(targets == ["/auth/callback/any?code=…&state=…&%63ode=…", "/?q=mug&token=…"])
        #expect(lines.allSatisfy { $0.metadata["status"] == "200" })
        for entry in log.entries { #expect(!"\(entry.message) \(entry.metadata)".contains("5ecret")) }
    }

    @Test("the request log hides a query without parameter names", arguments: ["/?5ecret", "/?=5ecret", "/?&5ecret&"])
    func unnamed(target: String) {
        let log = RequestLog<ClientContext>()
        #expect(!log.redacted(target).contains("5ecret"))
    }
}
