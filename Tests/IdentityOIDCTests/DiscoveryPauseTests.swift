import IdentityHTTP
import IdentityKit
import IdentityOIDC
import IdentityTesting
import Synchronization
import TestDoubles
import Testing

@Suite("Pauses between failed attempts of discovery")
struct DiscoveryPauseTests {
    /// A provider without a socket whose metadata document fails as a test decides.
    private final class Provider: HTTPTransport {
        private struct State {
            var requests = 0
            var answer: Result<HTTPResponse, HTTPTransportError> = .success(HTTPResponse(status: 503))
        }

        private let state = Mutex(State())
        var requests: Int { state.withLock { $0.requests } }

        func answer(_ answer: Result<HTTPResponse, HTTPTransportError>) { state.withLock { $0.answer = answer } }

        func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
            try state.withLock { state in
                state.requests += 1
                return state.answer
            }.get()
        }
    }

    private static let document = HTTPResponse(status: 200, body: Array(#"{"issuer":"https://id.example"}"#.utf8))

    private let provider = Provider()
    private let clock = ManualClock()

    private func source(_ observers: [any IdentityObserver] = []) throws -> DiscoverySource {
        var configuration = DiscoverySource.Configuration(
            discoveryURL: try HTTPURL("https://id.example/d"),
            issuers: .exactly(["https://id.example"]),
            configured: ProviderMetadata(issuer: "https://id.example")
        )
        configuration.provider = "id"
        return DiscoverySource(
            configuration,
            httpClient: ProviderHTTPClient(
                environment: IdentityEnvironment(transport: provider, clock: clock, observers: observers),
                timeout: .seconds(5),
                allowsLoopbackHTTP: false,
                configured: []
            )
        )
    }

    private func failure(_ source: DiscoverySource) async -> IdentityError? {
        await #expect(throws: IdentityError.self) { try await source.current() }
    }

    @Test("while the provider is down, callers share one attempt per pause; the pause doubles up to 30 seconds")
    func pauses() async throws {
        let source = try source()
        var attempts = 0
        for pause in [1, 2, 4, 8, 16, 30, 30, 30] {
            attempts += 1
            for _ in 0..<5 {
                let error = await failure(source)
                #expect(error?.code == .providerUnavailable)
                #expect(error?.kind == .retryLater)
            }
            #expect(provider.requests == attempts)
            clock.advance(by: .seconds(pause) - .milliseconds(1))
            #expect(await failure(source)?.retryAfter == .milliseconds(1))
            #expect(provider.requests == attempts)
            clock.advance(by: .milliseconds(1))
        }
        provider.answer(.success(Self.document))
        #expect(try await source.current().metadata.issuer == "https://id.example")
        // After the last pause, one request fetches the document.
        #expect(provider.requests == attempts + 1)
    }

    @Test("each operation that fails during a pause gets its own correlation id")
    func correlation() async throws {
        let source = try source()
        let first = await failure(source)
        let second = await failure(source)
        #expect(first?.message == second?.message)
        #expect(first?.correlationID != second?.correlationID)
        #expect(provider.requests == 1)
    }

    @Test("a change of the wall clock neither ends nor extends a pause", arguments: [-86_400.0, 86_400.0])
    func wallClock(seconds: Double) async throws {
        let source = try source()
        _ = await failure(source)
        clock.jump(by: seconds)
        _ = await failure(source)
        #expect(provider.requests == 1)
        clock.advance(by: .seconds(1))
        provider.answer(.success(Self.document))
        _ = try await source.current()
        #expect(provider.requests == 2)
    }

    @Test("Retry-After extends a pause, to 60 seconds at most", arguments: [("7", 7), ("3600", 60)])
    func retryAfter(value: String, seconds: Int) async throws {
        let source = try source()
        var headers = HTTPHeaders()
        try headers.set("Retry-After", value)
        provider.answer(.success(HTTPResponse(status: 429, headers: headers)))
        _ = await failure(source)
        clock.advance(by: .seconds(seconds) - .milliseconds(1))
        _ = await failure(source)
        #expect(provider.requests == 1)
        clock.advance(by: .milliseconds(1))
        _ = await failure(source)
        #expect(provider.requests == 2)
    }

    @Test("a response 404 causes a pause and a configuration error; a cancelled request causes no pause")
    func otherFailures() async throws {
        let log = EventSink()
        let source = try source([log])
        provider.answer(.failure(HTTPTransportError(code: .cancelled, phase: .notSent, message: "cancelled")))
        #expect(await failure(source)?.kind == .cancelled)
        #expect(!log.names.contains { $0.hasPrefix("metadata_unavailable") })
        provider.answer(.success(HTTPResponse(status: 404)))
        for _ in 0..<3 {
            let error = await failure(source)
            #expect(error?.kind == .configuration)
            #expect(error?.retryAfter == nil)
        }
        #expect(provider.requests == 2)
    }

    @Test("old metadata are used during an outage, and the document is fetched once a minute")
    func oldMetadata() async throws {
        let source = try source()
        provider.answer(.success(Self.document))
        _ = try await source.current()
        provider.answer(.success(HTTPResponse(status: 503)))
        clock.advance(by: .seconds(3600))
        for minute in 1...3 {
            for _ in 0..<5 { #expect(try await source.current().metadata.issuer == "https://id.example") }
            #expect(provider.requests == 1 + minute)
            clock.advance(by: .seconds(60))
        }
    }

    @Test("while the document is refused, old metadata are used for two days, and each failure is reported")
    func refusedDocument() async throws {
        let log = EventSink()
        let source = try source([log])
        provider.answer(.success(Self.document))
        _ = try await source.current()
        #expect(log.all.isEmpty)
        provider.answer(.success(HTTPResponse(status: 200, body: Array(#"{"issuer":"https://evil.example"}"#.utf8))))
        clock.advance(by: .seconds(3600))
        for _ in 0..<3 { #expect(try await source.current().metadata.issuer == "https://id.example") }
        #expect(log.names == ["metadata_unavailable discovery_issuer_mismatch"] && log.providers == ["id"])
        clock.advance(by: .seconds(2 * 86_400 - 1))
        #expect(try await source.current().metadata.issuer == "https://id.example")
        #expect(log.all.count == 2)
        // The last attempt was a second ago, so no request is sent.
        clock.advance(by: .seconds(1))
        #expect(await failure(source)?.code == .discoveryIssuerMismatch)
        clock.advance(by: .seconds(60))
        #expect(await failure(source)?.code == .discoveryIssuerMismatch)
        #expect(log.all.count == 3)
        // After the two days, an outage does not make the old metadata usable again.
        provider.answer(.success(HTTPResponse(status: 503)))
        clock.advance(by: .seconds(60))
        #expect(await failure(source)?.code == .providerUnavailable)
        #expect(log.names.last == "metadata_unavailable provider_unavailable")
        provider.answer(.success(Self.document))
        clock.advance(by: .seconds(60))
        #expect(try await source.current().metadata.issuer == "https://id.example")
    }

    @Test("old metadata are used for two days after the first refused document, however long an outage lasted before")
    func refusedAfterOutage() async throws {
        let source = try source()
        provider.answer(.success(Self.document))
        _ = try await source.current()
        // The last answer arrives one second before the end of the two days.
        for (status, day) in [(503, 5 * 86_400), (404, 5 * 86_400), (503, 86_400), (503, 86_400 - 1)] {
            provider.answer(.success(HTTPResponse(status: status)))
            clock.advance(by: .seconds(day))
            #expect(try await source.current().metadata.issuer == "https://id.example")
        }
        clock.advance(by: .seconds(1))
        #expect(await failure(source)?.code == .providerUnavailable)
    }
}
