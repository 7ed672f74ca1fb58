import IdentityHTTP
import IdentityKit
import IdentityTesting
import TestDoubles
import Testing

@Suite("The conformance suite of providers")
struct ProviderConformanceTests {
    /// A provider that throws refusals, as `IdentityProvider.refresh(_:)` permits.
    private struct RefusingProvider: WrappingProvider {
        let inner = StrictProvider(clock: ManualClock())

        func refresh(_ tokens: TokenSet) async throws -> TokenSet {
            do {
                return try await inner.refresh(tokens)
            } catch {
                throw RefreshRefusal(error)
            }
        }
    }

    private struct SigningIn: Presenter {
        func present(_ login: PresentedLogin) async throws -> String {
            let url = try await login.authorizationURL(redirectURI: login.redirectURI)
            return "https://app.example/callback?code=code&\(url.query ?? "")"
        }
    }

    @Test("a provider that throws refusals passes the case about used refresh tokens")
    func refusals() async throws {
        let testCase = try #require(
            ProviderConformance.cases.first { $0.name.hasPrefix("a used refresh token requires a new login") }
        )
        try await testCase.run {
            ProviderConformance.Subject(provider: RefusingProvider(), presenter: SigningIn(), isRefreshable: true)
        }
    }
}
