import Foundation
import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityTesting
import Synchronization

/// A transport that makes the canary search for the secrets of all messages, and that can replace responses.
final class WatchingTransport: HTTPTransport {
    private struct State {
        var requests = 0
        var attack: Attack?
        var isMeant: @Sendable (Int) -> Bool = { _ in false }
    }

    private let inner: any HTTPTransport
    private let canary: SecretCanary
    private let state = Mutex(State())

    init(_ inner: any HTTPTransport, _ canary: SecretCanary) {
        self.inner = inner
        self.canary = canary
    }

    /// The number of requests since the last call of `order`.
    var requests: Int { state.withLock(\.requests) }

    /// Replaces the responses of the requests with matching numbers, counted from now on.
    func order(_ attack: Attack, at isMeant: @escaping @Sendable (Int) -> Bool) {
        state.withLock { $0 = State(attack: attack, isMeant: isMeant) }
    }

    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        SecretsOnTheWire.learn(request, canary)
        let attack: Attack? = state.withLock { state in
            defer { state.requests += 1 }
            return state.isMeant(state.requests) ? state.attack : nil
        }
        if let attack, let answer = try attack.replacement(for: request) {
            SecretsOnTheWire.learn(answer, canary)
            return answer
        }
        var answer = try await inner.send(request)
        SecretsOnTheWire.learn(answer, canary)
        attack?.change(&answer, for: request)
        return answer
    }
}
