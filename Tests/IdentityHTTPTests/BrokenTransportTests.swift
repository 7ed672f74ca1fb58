import IdentityHTTP
import IdentityTesting
import Synchronization
import Testing

@Suite("The conformance suite of transports")
struct BrokenTransportTests {
    enum Defect: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case neverAsks = "never calls maySend"
        case asksOnce = "calls maySend only for the first request"
        case asksLate = "calls maySend after the request was sent"
        case caches = "caches responses"

        var testDescription: String { rawValue }

        /// The conformance case that must fail.
        var caught: String {
            switch self {
            case .neverAsks, .asksOnce, .asksLate:
                "a request is not sent if maySend returns false, also after another request"
            case .caches: "responses are not cached"
            }
        }
    }

    private final class BrokenTransport: HTTPTransport {
        private struct State {
            var hasAsked = false
            var responses: [String: HTTPResponse] = [:]
        }

        private let defect: Defect
        private let inner: CurlTransport
        private let state = Mutex(State())

        init(_ defect: Defect) throws {
            self.defect = defect
            inner = try CurlTransport()
        }

        func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
            var changed = request
            switch defect {
            case .neverAsks:
                changed.maySend = nil
            case .asksOnce:
                let hasAsked = state.withLock { state in
                    defer { state.hasAsked = true }
                    return state.hasAsked
                }
                if hasAsked { changed.maySend = nil }
            case .asksLate:
                changed.maySend = nil
                let response = try await inner.send(changed)
                if request.maySend?() ?? true { return response }
                throw HTTPTransportError(code: .sendingRefused, phase: .notSent, message: "Refused.")
            case .caches:
                if let response = state.withLock({ $0.responses[request.url.text] }) { return response }
            }
            let response = try await inner.send(changed)
            state.withLock { $0.responses[request.url.text] = response }
            return response
        }
    }

    @Test("the named case of the conformance suite fails for a transport with the defect", arguments: Defect.allCases)
    func finds(_ defect: Defect) async throws {
        let testCase = try #require(TransportConformance.cases.first { $0.name == defect.caught })
        await #expect(throws: TransportConformanceFailure.self) {
            try await testCase.run { try BrokenTransport(defect) }
        }
    }
}
