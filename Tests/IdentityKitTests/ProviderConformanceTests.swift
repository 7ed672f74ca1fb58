import IdentityHTTP
import IdentityKit
import IdentityTesting
import Synchronization
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

    /// A provider whose server accepts one code, once.
    private final class ExchangingProvider: WrappingProvider {
        enum StateCheck {
            case beforeSending, afterSending, never
        }

        let inner = StrictProvider(clock: ManualClock())
        private let check: StateCheck
        private let isCodeUsed = Mutex(false)

        init(checkingState check: StateCheck) { self.check = check }

        func exchange(_ callback: LoginCallback, for attempt: LoginAttempt) async throws -> TokenSet {
            let isSame = try callback.value(of: "state")?.isEqual(to: attempt.state) == true
            let refusal = IdentityError(.rejected, .stateInvalid, "The state belongs to another login.")
            if check == .beforeSending, !isSame { throw refusal }
            let isFirst = isCodeUsed.withLock { isUsed in
                defer { isUsed = true }
                return !isUsed
            }
            guard isFirst else { throw IdentityError(.rejected, .invalidGrant, "The code was used.") }
            if check == .afterSending, !isSame { throw refusal }
            return try await inner.exchange(callback, for: attempt)
        }
    }

    /// A provider whose logout URL has no `state`.
    private struct ForgettingProvider: WrappingProvider, LogoutStateSupporting {
        let inner = StrictProvider(clock: ManualClock())

        func logoutURL(for tokens: TokenSet, returningTo address: String, state: Secret) async throws -> HTTPURL? {
            try await inner.logoutURL(for: tokens, returningTo: address)
        }
    }

    private static func run(_ provider: any IdentityProvider, caseWithPrefix prefix: String) async throws {
        let testCase = try #require(ProviderConformance.cases.first { $0.name.hasPrefix(prefix) })
        try await testCase.run {
            ProviderConformance.Subject(provider: provider, presenter: SigningIn(), isRefreshable: true)
        }
    }

    @Test("only a provider that compares the state before it sends the code passes the case about the state")
    func states() async throws {
        let name = "a callback with another login's state is refused"
        try await Self.run(ExchangingProvider(checkingState: .beforeSending), caseWithPrefix: name)
        for check in [ExchangingProvider.StateCheck.afterSending, .never] {
            await withKnownIssue("\(check)") {
                try await Self.run(ExchangingProvider(checkingState: check), caseWithPrefix: name)
            }
        }
    }

    @Test("a provider whose logout URL has no state fails the case about this state")
    func forgottenState() async {
        await withKnownIssue {
            try await Self.run(ForgettingProvider(), caseWithPrefix: "a logout URL contains the state unchanged")
        }
    }

    @Test("a provider that throws refusals passes the case about used refresh tokens")
    func refusals() async throws {
        try await Self.run(RefusingProvider(), caseWithPrefix: "a used refresh token requires a new login")
    }
}
