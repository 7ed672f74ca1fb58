internal import FoundationEssentials
internal import IdentityHTTP
internal import IdentityKit
internal import Synchronization

/// A provider that responds after 20 ms and counts the requests.
final class SlowProvider: IdentityProvider {
    static let delay = Duration.milliseconds(20)
    let descriptor = ProviderDescriptor(name: "slow", kind: "benchmark", clientID: "client")
    private let count = Mutex(0)
    var refreshes: Int { count.withLock(\.self) }

    func refresh(_ tokens: TokenSet) async throws -> TokenSet {
        count.withLock { $0 += 1 }
        try await Task.sleep(for: Self.delay)
        return Self.tokens("buyer", expiringIn: 3600)
    }

    static func tokens(_ subject: String, expiringIn seconds: Double) -> TokenSet {
        let text = String(repeating: "t", count: 800)
        return TokenSet(
            buyer: Buyer(issuer: "https://id.example", subject: subject),
            accessToken: Secret(text),
            refreshToken: Secret("refresh-\(subject)"),
            idToken: Secret(text),
            scopes: ["openid"],
            issuedAt: Date(timeIntervalSinceNow: seconds - 3600),
            expiresAt: Date(timeIntervalSinceNow: seconds)
        )
    }

    func authorizationRequest(_ options: LoginOptions) async throws -> AuthorizationRequest { throw Self.unsupported }
    func exchange(_ callback: LoginCallback, for attempt: LoginAttempt) async throws -> TokenSet {
        throw Self.unsupported
    }
    func logoutURL(for tokens: TokenSet, returningTo uri: String?) async throws -> HTTPURL? { nil }

    private static var unsupported: IdentityError {
        IdentityError(.configuration, .unsupportedByProvider, "Only refreshes are measured.")
    }
}
