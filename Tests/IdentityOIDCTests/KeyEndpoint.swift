import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityTesting
import Synchronization
import TestDoubles

@testable import IdentityOIDC

/// A key set endpoint on a real socket that counts requests, and whose keys and availability a test can change.
final class KeyEndpoint: Sendable {
    private struct State {
        var requests: [LoopbackRequest] = []
        var keys: [JSONValue] = []
        var status = 200
        var headers: [(String, String)] = []
        var knowsTags = false
        var held: (arrival: Gate, release: Gate)?
    }

    /// A key of a type that no provider signs with.
    static let unusable = JSONValue.object(["kty": .string("oct"), "k": .string("AAAA")])

    private let state = Mutex(State())

    var fetches: Int { state.withLock { $0.requests.count } }
    var last: LoopbackRequest? { state.withLock { $0.requests.last } }

    func publish(_ keys: [JSONValue]) { state.withLock { $0.keys = keys } }
    func answer(with status: Int) { state.withLock { $0.status = status } }
    func send(_ headers: [(String, String)]) { state.withLock { $0.headers = headers } }
    func send(cacheControl: String) { send([("Cache-Control", cacheControl)]) }

    /// From now on, responds with status 304 to a request that repeats the `ETag` of the headers.
    func knowTags() { state.withLock { $0.knowsTags = true } }

    /// Holds the response to the next request, which contains the keys of that time, until `release` is opened.
    func holdNext() -> (arrival: Gate, release: Gate) {
        let gates = (arrival: Gate(), release: Gate())
        state.withLock { $0.held = gates }
        return gates
    }

    func answer(_ request: LoopbackRequest) async -> LoopbackResponse {
        let response = respond(to: request)
        if let held = state.withLock({ $0.held.take() }) {
            held.arrival.open()
            await held.release.wait()
        }
        return response
    }

    private func respond(to request: LoopbackRequest) -> LoopbackResponse {
        state.withLock { state in
            state.requests.append(request)
            let tag = state.headers.first { $0.0 == "ETag" }?.1
            if state.knowsTags, let tag, request.header("If-None-Match") == tag {
                return .message(status: 304, headers: state.headers)
            }
            guard state.status == 200 else { return .message(status: state.status, headers: state.headers) }
            let set: JSONValue = .object(["keys": .array(state.keys)])
            return .message(status: 200, headers: state.headers, body: set.serialized)
        }
    }

    /// Runs a test with the endpoint, one valid key, and a source that uses it.
    static func withSource(
        observers: [any IdentityObserver] = [],
        _ body: (KeyEndpoint, KeySetSource, HTTPURL, ManualClock) async throws -> Void
    ) async throws {
        try await withChannel(observers: observers) { endpoint, httpClient, url, clock in
            try await body(endpoint, KeySetSource(httpClient: httpClient, provider: "any"), url, clock)
        }
    }

    static func withChannel(
        observers: [any IdentityObserver] = [],
        _ body: (KeyEndpoint, ProviderHTTPClient, HTTPURL, ManualClock) async throws -> Void
    ) async throws {
        let endpoint = KeyEndpoint()
        endpoint.publish([try TokenSigner(.es256).jwk])
        let server = try await LoopbackServer.start { await endpoint.answer($0) }
        let transport = try CurlTransport()
        let clock = ManualClock()
        let httpClient = ProviderHTTPClient(
            environment: IdentityEnvironment(transport: transport, clock: clock, observers: observers),
            timeout: .seconds(30),
            allowsLoopbackHTTP: true,
            configured: []
        )
        try await body(endpoint, httpClient, try HTTPURL(server.origin + "/jwks"), clock)
        await server.stop()
        await transport.close()
    }
}
