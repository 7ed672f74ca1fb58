internal import IdentityHTTP
public import IdentityKit
internal import Synchronization
internal import Testing

/// The conformance suite for `IdentityProvider`; run it with a server that behaves like the server of the provider.
///
/// ```swift
/// @Test(arguments: ProviderConformance.cases)
/// func conformance(_ requirement: ProviderConformance.Case) async throws {
///     try await requirement.run { try await MyProviderUnderTest() }
/// }
/// ```
///
/// If the provider lacks what a case needs, such as refresh tokens, the case records a warning with the reason and is cancelled. A
/// cancelled case does not count as passed.
public struct ProviderConformance: Sendable {
    /// A provider with a presenter that signs a buyer in.
    public struct Subject: Sendable {
        /// The provider.
        public var provider: any IdentityProvider
        /// Shows the provider's login page to a real or simulated buyer who signs in.
        public var presenter: any Presenter
        /// Whether the provider issues refresh tokens.
        public var isRefreshable: Bool
        /// Whether the provider's server accepts a refresh token a second time, for example for some seconds after its first use.
        public var permitsRefreshTokenReuse: Bool

        /// Creates a subject whose server, by default, refuses a used refresh token.
        public init(
            provider: any IdentityProvider,
            presenter: any Presenter,
            isRefreshable: Bool,
            permitsRefreshTokenReuse: Bool = false
        ) {
            self.provider = provider
            self.presenter = presenter
            self.isRefreshable = isRefreshable
            self.permitsRefreshTokenReuse = permitsRefreshTokenReuse
        }
    }

    /// One requirement; its subject is a provider with a presenter.
    public typealias Case = ConformanceCase<Subject>

    /// All requirements.
    public static let cases: [Case] = [
        Case("two logins share no state, nonce or code verifier") { subject in
            let first = try await subject.provider.authorizationRequest(LoginOptions()).attempt
            let second = try await subject.provider.authorizationRequest(LoginOptions()).attempt
            #expect(!first.state.isEqual(to: second.state))
            #expect(first.state.count >= 8)
            if let one = first.nonce, let other = second.nonce { #expect(!one.isEqual(to: other)) }
            if let one = first.codeVerifier, let other = second.codeVerifier {
                #expect(!one.isEqual(to: other))
                #expect((43...128).contains(one.count))
            }
        },
        Case("the authorization URL contains the attempt's state and no code verifier") { subject in
            let request = try await subject.provider.authorizationRequest(LoginOptions())
            let fields = try #require(FormEncoding.decode(Array((request.url.query ?? "").utf8)))
            // With a pushed or signed authorization request, the state is not in the URL (RFC 9126 section 4, RFC 9101 section 5).
            if !fields.contains(where: { $0.name == "request_uri" || $0.name == "request" }) {
                let states = fields.filter { $0.name == "state" }.map { Secret($0.value) }
                #expect(states.count == 1 && states[0].isEqual(to: request.attempt.state))
            }
            if let verifier = request.attempt.codeVerifier {
                #expect(!request.url.text.contains(verifier.reveal()))
            }
        },
        Case("the tokens of a login name the buyer by issuer and subject") { subject in
            let tokens = try await login(subject)
            #expect(!tokens.buyer.issuer.isEmpty)
            #expect(!tokens.buyer.subject.isEmpty)
            #expect(!tokens.accessToken.isEmpty)
            #expect((tokens.refreshToken != nil) == subject.isRefreshable)
        },
        Case("a callback with another login's state is refused, and its code is not sent") { subject in
            let (callback, attempt) = try await callback(subject)
            // Only the state differs, so only the check of the state can refuse this callback.
            var other = attempt
            other.state = try await subject.provider.authorizationRequest(LoginOptions()).attempt.state
            await #expect(throws: IdentityError.self) {
                _ = try await subject.provider.exchange(callback, for: other)
            }
            // The server accepts a code once, so this exchange fails if the first call sent the code.
            _ = try await subject.provider.exchange(callback, for: attempt)
        },
        Case("an authorization code can be exchanged only once") { subject in
            let (callback, attempt) = try await callback(subject)
            _ = try await subject.provider.exchange(callback, for: attempt)
            await #expect(throws: IdentityError.self) {
                _ = try await subject.provider.exchange(callback, for: attempt)
            }
        },
        Case("a refresh keeps the buyer, or throws if the provider issues no refresh tokens") { subject in
            let tokens = try await login(subject)
            guard subject.isRefreshable else {
                await expectRefusal(of: tokens, by: subject)
                return
            }
            let refreshed = try await subject.provider.refresh(tokens)
            #expect(refreshed.buyer.isSamePerson(as: tokens.buyer))
            #expect(!refreshed.accessToken.isEmpty)
            #expect(refreshed.idToken != nil || tokens.idToken == nil)
        },
        Case("a used refresh token requires a new login, and no error or token set prints a secret") { subject in
            guard subject.isRefreshable else { try Test.doesNotApply("the provider issues no refresh tokens") }
            let tokens = try await login(subject)
            let refreshed = try await subject.provider.refresh(tokens)
            let canary = SecretCanary()
            for secret in [tokens.accessToken, tokens.refreshToken, tokens.idToken, refreshed.accessToken] {
                if let secret { canary.watch(secret) }
            }
            #expect(canary.findings(in: tokens).isEmpty)
            // A provider need not replace refresh tokens (RFC 6749 section 6).
            if let old = tokens.refreshToken, refreshed.refreshToken?.isEqual(to: old) == true {
                try Test.doesNotApply("a refresh does not replace the refresh token")
            }
            if subject.permitsRefreshTokenReuse { try Test.doesNotApply("the server accepts a used refresh token") }
            let refusal = await expectRefusal(of: tokens, by: subject)
            #expect(refusal?.kind == .invalidGrant)
            #expect(canary.findings(in: refusal as Any).isEmpty)
        },
        Case("a logout URL does not contain the access token") { subject in
            let tokens = try await login(subject)
            let url = try await subject.provider.logoutURL(for: tokens, returningTo: nil)
            if let url { #expect(!url.text.contains(tokens.accessToken.reveal())) }
        },
        Case("a logout URL contains the given state unchanged, if the provider supports a logout state") { subject in
            let supporting = try Test.offered((any LogoutStateSupporting).self, by: subject.provider)
            let tokens = try await login(subject)
            let address = "https://app.example/signed-out"
            guard let url = try await supporting.logoutURL(for: tokens, returningTo: address, state: Secret("s &1"))
            else { try Test.doesNotApply("the provider has no logout page") }
            #expect(try LoginCallback(form: Array((url.query ?? "").utf8)).value(of: "state")?.reveal() == "s &1")
        },
        Case("neither plain text nor an ID token is accepted as a logout token") { subject in
            let supporting = try Test.offered((any BackChannelLogoutSupporting).self, by: subject.provider)
            let idToken = try await login(subject).idToken
            for token in [Secret("no token"), idToken].compactMap(\.self) {
                let error = await #expect(throws: IdentityError.self) {
                    _ = try await supporting.validate(logoutToken: token)
                }
                #expect(error?.kind == .rejected)
            }
        },
        Case("each device login has its own codes and is pending until the buyer signs in") { subject in
            let device = try Test.offered((any DeviceAuthorizing).self, by: subject.provider)
            let first: DeviceAuthorization
            do {
                first = try await device.deviceAuthorization(LoginOptions())
            } catch let error as IdentityError where error.code == .unsupportedByProvider {
                try Test.doesNotApply("the provider does not support device logins")
            }
            let second = try await device.deviceAuthorization(LoginOptions())
            #expect(!first.deviceCode.isEqual(to: second.deviceCode) && first.prompt.userCode != second.prompt.userCode)
            switch try await device.poll(first) {
            case .pending, .slowDown: break
            case .unanswered, .authorized:
                Issue.record("The device login is not pending, although no buyer has approved it.")
            }
        },
    ]

    /// Expects that a refresh fails with a `RefreshRefusal` or an `IdentityError`, and returns the error as a `RefreshRefusal`.
    @discardableResult
    private static func expectRefusal(of tokens: TokenSet, by subject: Subject) async -> RefreshRefusal? {
        let error = await #expect(throws: (any Error).self) { _ = try await subject.provider.refresh(tokens) }
        #expect(error is RefreshRefusal || error is IdentityError)
        return error.map { RefreshRefusal($0) }
    }

    private static func callback(
        _ subject: Subject
    ) async throws -> (callback: LoginCallback, attempt: LoginAttempt) {
        let attempt = Mutex<LoginAttempt?>(nil)
        let provider = subject.provider
        let login = PresentedLogin(
            provider: provider.descriptor.name,
            redirectURI: provider.descriptor.redirectURI
        ) { redirectURI in
            var options = LoginOptions()
            options.redirectURI = redirectURI
            let request = try await provider.authorizationRequest(options)
            attempt.withLock { $0 = request.attempt }
            return request
        }
        let url = try await subject.presenter.present(login)
        let recorded = attempt.withLock(\.self)
        return (try LoginCallback(url: url), try #require(recorded))
    }

    private static func login(_ subject: Subject) async throws -> TokenSet {
        let (callback, attempt) = try await callback(subject)
        return try await subject.provider.exchange(callback, for: attempt)
    }
}

extension ConformanceCase where Subject == ProviderConformance.Subject {
    /// Runs the case against a new subject; throws the errors of `make` and of the provider that end the case.
    public func run(_ make: () async throws -> Subject) async throws {
        try await body(try await make())
    }
}
