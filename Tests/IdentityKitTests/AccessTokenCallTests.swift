import IdentityHTTP
import IdentityKit
import IdentityTesting
import Synchronization
import TestDoubles
import Testing

/// A provider whose access tokens can be sent to a resource server.
private final class ResourceProvider: WrappingProvider, ResourceAuthorizing {
    let inner: StrictProvider
    let descriptor: ProviderDescriptor
    private let isNarrowing = Mutex(false)
    private let isExtending = Mutex(false)

    init(_ inner: StrictProvider, resources: [String]) {
        self.inner = inner
        var descriptor = inner.descriptor
        descriptor.resources = resources
        self.descriptor = descriptor
    }

    /// From now on, a refresh returns only the scope `openid` and no refresh token.
    func narrow() { isNarrowing.withLock { $0 = true } }

    /// From now on, a refresh extends the tokens and does not replace them.
    func extend() { isExtending.withLock { $0 = true } }

    func refresh(_ tokens: TokenSet) async throws -> TokenSet {
        var new = try await inner.refresh(tokens)
        if isExtending.withLock(\.self) {
            (new.accessToken, new.refreshToken) = (tokens.accessToken, tokens.refreshToken)
        }
        if isNarrowing.withLock(\.self) { (new.scopes, new.refreshToken) = (["openid"], nil) }
        return new
    }

    func authorizationHeaders(for method: HTTPMethod, _ url: HTTPURL, with tokens: TokenSet) throws -> HTTPHeaders {
        var headers = HTTPHeaders()
        try headers.set("Authorization", tokens.accessToken.reveal())
        return headers
    }
    func shouldRepeat(_ sent: HTTPHeaders, answeredWith status: Int, _ headers: HTTPHeaders, from url: HTTPURL) -> Bool
    {
        headers["DPoP-Nonce"] != nil && status == 401
    }
}

/// A resource server that accepts only chosen tokens.
private final class ResourceServer: Sendable {
    private let state = Mutex<(accepted: Set<String>, seen: [String])>(([], []))
    var seen: [String] { state.withLock { $0.seen } }
    func accept(_ token: String) { state.withLock { _ = $0.accepted.insert(token) } }

    func status(for headers: HTTPHeaders) -> Int {
        let token = headers["Authorization"] ?? ""
        return state.withLock { state in
            state.seen.append(token)
            return state.accepted.contains(token) ? 200 : 401
        }
    }
}

/// A provider that returns the UserInfo claims of one buyer for all tokens.
private struct UserInfoProvider: WrappingProvider, UserInfoProviding {
    let inner: StrictProvider

    func userInfo(for tokens: TokenSet) async throws -> UserInfoClaims {
        UserInfoClaims(issuer: "https://id.example", subject: "buyer-1", all: ["locale": .string("fr")])
    }
}

@Suite("A call with a session's access token")
struct AccessTokenCallTests {
    @Test("UserInfo claims of another buyer are refused, also from a provider that does not check their subject")
    func foreignUserInfo() async throws {
        let provider = UserInfoProvider(inner: StrictProvider(clock: ManualClock()))
        let manager = try SessionManager(provider, clock: provider.inner.clock)
        func session(_ subject: String) async throws -> SessionID {
            let buyer = Buyer(issuer: "https://id.example", subject: subject)
            return try await manager.establish(provider.inner.mint(buyer), provider: "strict").id
        }
        #expect(try await manager.userInfo(for: session("buyer-1"))["locale"]?.string == "fr")
        let other = try await session("buyer-2")
        let error = await failure { try await manager.userInfo(for: other) }
        #expect(error?.code == .idTokenSubject)
    }

    private struct World {
        let clock = ManualClock()
        let heard = EventSink()
        let server = ResourceServer()
        let provider: ResourceProvider
        let manager: SessionManager
        let url: HTTPURL

        init(resources: [String] = []) throws {
            url = try HTTPURL("https://api.example/orders")
            provider = ResourceProvider(StrictProvider(clock: clock), resources: resources)
            manager = try SessionManager(provider, clock: clock, observers: [heard])
        }

        func signIn(_ change: (inout TokenSet) -> Void = { _ in }) async throws -> SessionID {
            var tokens = provider.inner.mint(Buyer(issuer: "https://id.example", subject: "buyer-1"))
            change(&tokens)
            return try await manager.establish(tokens, provider: "strict").id
        }

        /// Calls the resource server, which answers with status 401 and `challenge` if it does not accept the token.
        func call(_ id: SessionID, challenge: String = #"Bearer error="invalid_token""#) async throws -> String {
            try await manager.withAccessToken(of: id) { access in
                let sent = try access.headers(for: .get, url)
                let status = server.status(for: sent)
                var headers = HTTPHeaders()
                if status == 401 { try headers.set("WWW-Authenticate", challenge) }
                try access.check(status: status, headers, sent: sent, from: url)
                return access.tokens.accessToken.reveal()
            }
        }

        func refusal(_ id: SessionID, challenge: String = #"Bearer error="invalid_token""#) async -> IdentityError? {
            await failure { try await call(id, challenge: challenge) }
        }
    }

    @Test(
        "if the resource server rejects the token of eight concurrent calls, one refresh runs, and each call is repeated at most once"
    )
    func oneRefresh() async throws {
        let world = try World()
        let id = try await world.signIn()
        world.server.accept("access-2")
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<8 { group.addTask { try await world.call(id) } }
            for try await token in group { #expect(token == "access-2") }
        }
        #expect(world.provider.inner.refreshes == 1)
        #expect(world.server.seen.count { $0 == "access-2" } == 8)
        #expect(world.server.seen.count <= 16)
    }

    @Test(
        "if the resource server also rejects the refreshed token, the error reports its challenge, and no call refreshes for five minutes"
    )
    func refusedAgain() async throws {
        let world = try World()
        let id = try await world.signIn()
        let challenge = #"Bearer error="invalid_token", error_description="The audience is wrong, not access-2.""#
        for round in 1...3 {
            let error = try #require(await world.refusal(id, challenge: challenge))
            #expect(error.code == .accessTokenRefused)
            #expect(error.kind == .rejected)
            #expect(error.providerResponse?.error == "invalid_token")
            #expect(error.providerResponse?.errorDescription == "The audience is wrong, not ….")
            #expect(error.providerResponse?.status == 401)
            #expect(world.provider.inner.refreshes == 1)
            #expect(world.server.seen.count == round + 1)
        }
        // After five minutes the next call refreshes again, because the server may accept a newer token by then.
        world.server.accept("access-3")
        world.clock.advance(by: .seconds(301))
        #expect(try await world.call(id) == "access-3")
        #expect(world.provider.inner.refreshes == 2)
    }

    @Test("if a refresh returns the rejected tokens again, no call refreshes for five minutes")
    func extended() async throws {
        let world = try World()
        let id = try await world.signIn()
        world.provider.extend()
        for _ in 1...3 { #expect(await world.refusal(id)?.kind == .rejected) }
        #expect(world.provider.inner.refreshes == 1)
    }

    @Test("a token that the server rejects right after it was refreshed is not refreshed again")
    func refusedAfterDueRefresh() async throws {
        let world = try World()
        let id = try await world.signIn()
        world.clock.advance(by: .seconds(3601))
        for _ in 0..<3 {
            #expect(await world.refusal(id)?.kind == .rejected)
            #expect(world.provider.inner.refreshes == 1)
        }
        #expect(world.server.seen == ["access-2", "access-2", "access-2"])
    }

    @Test("if the provider's resources are listed, there are no headers for another origin")
    func resources() async throws {
        let world = try World(resources: ["https://api.example"])
        let id = try await world.signIn()
        world.server.accept("access-1")
        #expect(try await world.call(id) == "access-1")
        for address in [
            "https://api.example:8443/orders", "https://api.example.evil.example/", "https://other.example/",
        ] {
            let url = try HTTPURL(address)
            let error = await #expect(throws: IdentityError.self) {
                try await world.manager.withAccessToken(of: id) { _ = try $0.headers(for: .get, url) }
            }
            #expect(error?.code == .configurationInvalid && error?.message.contains(url.origin) == true, "\(address)")
        }
    }

    @Test("if the resource server rejects a DPoP proof, the call fails with dpop_proof_refused, and no refresh runs")
    func refusedProof() async throws {
        let world = try World()
        let id = try await world.signIn()
        for (name, kind) in [("invalid_dpop_proof", IdentityError.Kind.configuration), ("use_dpop_nonce", .retryLater)]
        {
            let error = await world.refusal(id, challenge: #"DPoP error="\#(name)""#)
            #expect(error?.code == .dpopProofRefused && error?.kind == kind)
            #expect(error?.hint?.contains("new headers") == true)
        }
        #expect(world.provider.inner.refreshes == 0)
    }

    @Test("if the server rejects a token and the session has no refresh token, the buyer must sign in again")
    func withoutRefreshToken() async throws {
        let world = try World()
        let id = try await world.signIn { $0.refreshToken = nil }
        let error = await world.refusal(id)
        #expect(error?.code == .accessTokenRefused)
        #expect(error?.kind == .signInAgain)
        #expect(world.server.seen.count == 1)
    }

    @Test(
        "any other error that a call throws is thrown to the app at once, and the call is not repeated",
        arguments: [
            IdentityError(.retryLater, .providerUnavailable, "Down."),
            IdentityError(.rejected, .insufficientScope, "No."),
            IdentityError(.configuration, .accessTokenRefused, "Wrong origin."),
        ]
    )
    func notRepeated(error: IdentityError) async throws {
        let world = try World()
        let id = try await world.signIn()
        let calls = Mutex(0)
        let thrown = await #expect(throws: IdentityError.self) {
            try await world.manager.withAccessToken(of: id) { _ in
                calls.withLock { $0 += 1 }
                throw error
            }
        }
        #expect(thrown?.code == error.code)
        #expect(thrown?.kind == error.kind)
        #expect(calls.withLock(\.self) == 1)
        #expect(world.provider.inner.refreshes == 0)
    }

    @Test("if the server requires a DPoP nonce, the call is repeated once with the same token", arguments: [1, 9])
    func nonce(demands: Int) async throws {
        let world = try World()
        let id = try await world.signIn()
        let calls = Mutex(0)
        let outcome = await Result.of {
            try await world.manager.withAccessToken(of: id) { access in
                let number = calls.withLock { calls in
                    calls += 1
                    return calls
                }
                var headers = HTTPHeaders()
                if number <= demands { try headers.set("DPoP-Nonce", "n\(number)") }
                let status = number <= demands ? 401 : 200
                try access.check(status: status, headers, sent: HTTPHeaders(), from: world.url)
                return access.tokens.accessToken.reveal()
            }
        }
        switch outcome {
        case .success(let token): #expect(demands == 1 && token == "access-1")
        case .failure(let error): #expect(demands == 9 && error.code == .dpopProofRefused)
        }
        #expect(calls.withLock(\.self) == 2)
        #expect(world.provider.inner.refreshes == 0)
    }

    @Test("if the server requires a stronger login, the error has the requirement, and nothing is refreshed")
    func stepUpChallenge() async throws {
        let world = try World()
        let id = try await world.signIn()
        let challenge = #"Bearer error="insufficient_user_authentication", acr_values="gold silver", max_age=5"#
        let error = await world.refusal(id, challenge: challenge)
        #expect(error?.code == .insufficientUserAuthentication)
        #expect(error?.kind == .signInAgain)
        #expect(
            error?.stepUpRequirement
                == StepUpRequirement(maximumAge: .seconds(5), authenticationContexts: ["gold", "silver"])
        )
        #expect(world.provider.inner.refreshes == 0)
        #expect(await world.refusal(id, challenge: challenge + ", max_age=7")?.stepUpRequirement == nil)
    }

    @Test("if a refresh returns fewer scopes and no refresh token, the result and an event report the losses")
    func losses() async throws {
        let world = try World()
        let id = try await world.signIn { $0.scopes = ["openid", "orders:read", "profile"] }
        #expect(try await world.manager.tokens(for: id).losses == nil)
        world.provider.narrow()
        let tokens = try await world.manager.refreshTokens(for: id)
        #expect(tokens.losses?.scopes == ["orders:read", "profile"])
        #expect(tokens.losses?.isRefreshTokenLost == true)
        #expect(world.heard.names.contains("tokens_reduced scopes_and_refresh_token"))
        #expect(try await world.manager.tokens(for: id).losses == nil)
    }
}

extension Result where Failure == IdentityError {
    /// The value that an operation returns, or the error that it throws.
    fileprivate static func of(_ body: () async throws -> Success) async -> Self {
        do { return .success(try await body()) } catch { return .failure(IdentityError.wrapping(error)) }
    }
}
