import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityTesting
import Synchronization

/// A strict provider whose responses are stored before they are validated.
///
/// A test can make each step fail once.
final class JournaledProvider: JournaledRefreshing, TokenRevoking {
    private struct State {
        var grace: Double = 0
        var rotatesAgain = false
        /// Maps a refresh token to the time of its use and the response.
        var spent: [String: (at: Date, answer: String)] = [:]
        var live: Set<String> = []
        var serial = 0
        var requests = 0
        var reuses = 0
        var validations = 0
        var exchanges = 0
        var revoked: [String] = []
        var preparation: [IdentityError] = []
        var answers: [Answer] = []
        var always: Answer?
        var refusals: [IdentityError] = []
        var everyRefusal: IdentityError?
        var hold: (@Sendable () async -> Void)?
        var validationHold: (@Sendable () async -> Void)?
    }

    enum Answer: Sendable {
        /// The provider rotates the token, and the response is lost.
        case lost(IdentityError)
        /// The provider does not receive the request.
        case refused(IdentityError)
        /// An HTML page arrives with status 200 instead of a token response.
        case page
    }

    private let state = Mutex(State())
    let clock: ManualClock
    let descriptor: ProviderDescriptor
    let lifetime: Double

    init(
        clock: ManualClock,
        lifetime: Double = 3600,
        name: String = "journaled",
        tenant: String = "",
        timeout: Duration? = nil
    ) {
        self.clock = clock
        self.lifetime = lifetime
        descriptor = ProviderDescriptor(name: name, kind: "test", clientID: "client", tenant: tenant, timeout: timeout)
    }

    var requests: Int { state.withLock { $0.requests } }
    var reuses: Int { state.withLock { $0.reuses } }
    var validations: Int { state.withLock { $0.validations } }
    var exchanges: Int { state.withLock { $0.exchanges } }
    var revoked: [String] { state.withLock { $0.revoked } }
    /// With `rotatesAgain`, a used token gets new tokens within the grace period, not the last response again.
    func setGrace(_ seconds: Double, rotatesAgain: Bool = false) {
        state.withLock { ($0.grace, $0.rotatesAgain) = (seconds, rotatesAgain) }
    }
    /// The outcome of all further requests.
    func answerAll(_ answer: Answer?) { state.withLock { $0.always = answer } }
    func answer(_ answers: Answer...) { state.withLock { $0.answers = answers } }
    func refusePreparation(_ errors: IdentityError...) { state.withLock { $0.preparation = errors } }
    func refuseValidation(_ errors: IdentityError...) { state.withLock { $0.refusals = errors } }
    func refuseEveryValidation(_ error: IdentityError?) { state.withLock { $0.everyRefusal = error } }
    func hold(_ body: (@Sendable () async -> Void)?) { state.withLock { $0.hold = body } }
    func holdValidation(_ body: (@Sendable () async -> Void)?) { state.withLock { $0.validationHold = body } }
    func kill() { state.withLock { $0.live = [] } }

    func prepareRefresh(of tokens: TokenSet) async throws {
        if let error = state.withLock({ $0.preparation.isEmpty ? nil : $0.preparation.removeFirst() }) { throw error }
    }

    func requestRefresh(of tokens: TokenSet, under hold: HeldLock) async throws(RefreshRefusal) -> RefreshResponse {
        let startedAt = clock.now
        let (hold, fate) = state.withLock { state in
            state.requests += 1
            return (state.hold, state.answers.isEmpty ? state.always : state.answers.removeFirst())
        }
        await hold?()
        switch fate {
        case .refused(let error): throw RefreshRefusal(error)
        case .page:
            return RefreshResponse(status: 200, body: Secret("<html>"), startedAt: startedAt, receivedAt: clock.now)
        case .lost(let error):
            _ = try rotate(tokens)
            throw RefreshRefusal(error)
        case nil:
            return RefreshResponse(
                status: 200,
                body: Secret(try rotate(tokens)),
                startedAt: startedAt,
                receivedAt: clock.now
            )
        }
    }

    /// Uses a refresh token; within the grace period the last response is repeated, or the token is rotated again.
    private func rotate(_ tokens: TokenSet) throws(RefreshRefusal) -> String {
        let token = tokens.refreshToken?.reveal() ?? ""
        let now = clock.now
        let answer: String? = state.withLock { state in
            if state.live.remove(token) != nil {
                let answer = Self.mint(&state)
                state.spent[token] = (now, answer)
                return answer
            }
            if let spent = state.spent[token], now.timeIntervalSince(spent.at) < state.grace {
                return state.rotatesAgain ? Self.mint(&state) : spent.answer
            }
            state.reuses += 1
            state.live = []
            return nil
        }
        guard let answer else {
            throw RefreshRefusal(
                .invalidGrant,
                IdentityError(
                    .signInAgain,
                    .invalidGrant,
                    "Spent.",
                    providerResponse: .init(error: "invalid_grant", status: 400)
                )
            )
        }
        return answer
    }

    private static func mint(_ state: inout State) -> String {
        state.serial += 1
        state.live.insert("refresh-\(state.serial)")
        return String(state.serial)
    }

    func tokens(from response: RefreshResponse, refreshing tokens: TokenSet) async throws -> TokenSet {
        await state.withLock(\.validationHold)?()
        let refusal = state.withLock { state in
            state.validations += 1
            return state.refusals.isEmpty ? state.everyRefusal : state.refusals.removeFirst()
        }
        if let refusal { throw refusal }
        guard Int(response.body.reveal()) != nil else {
            throw RefreshRefusal(
                IdentityError(
                    .retryLater,
                    .unexpectedResponse,
                    "A page.",
                    providerResponse: .init(status: response.status)
                )
            )
        }
        return make(response.body.reveal(), tokens.buyer, response.startedAt)
    }

    private func make(_ serial: String, _ buyer: Buyer, _ issuedAt: Date) -> TokenSet {
        TokenSet(
            buyer: buyer,
            accessToken: Secret("access-\(serial)"),
            refreshToken: Secret("refresh-\(serial)"),
            scopes: ["openid"],
            issuedAt: issuedAt,
            expiresAt: issuedAt + lifetime
        )
    }

    func mint(_ buyer: Buyer) -> TokenSet {
        make(state.withLock { Self.mint(&$0) }, buyer, clock.now)
    }

    func refresh(_ tokens: TokenSet) async throws -> TokenSet {
        try await prepareRefresh(of: tokens)
        return try await self.tokens(from: try await requestRefresh(of: tokens, under: .notNeeded), refreshing: tokens)
    }

    func revoke(_ tokens: TokenSet) async throws -> Bool {
        state.withLock { $0.revoked.append(tokens.refreshToken?.reveal() ?? "") }
        return true
    }

    func authorizationRequest(_ options: LoginOptions) async throws -> AuthorizationRequest {
        let attempt = LoginAttempt(
            provider: descriptor.name,
            state: Secret("state-1"),
            createdAt: clock.now,
            expiresAt: clock.now
        )
        return AuthorizationRequest(url: try HTTPURL("https://id.example/authorize?state=state-1"), attempt: attempt)
    }
    func exchange(_ callback: LoginCallback, for attempt: LoginAttempt) async throws -> TokenSet {
        state.withLock { $0.exchanges += 1 }
        var tokens = mint(Buyer(issuer: "https://id.example", subject: "buyer-1"))
        tokens.authenticatedAt = clock.now
        return tokens
    }
    func logoutURL(for tokens: TokenSet, returningTo uri: String?) async throws -> HTTPURL? { nil }
}
