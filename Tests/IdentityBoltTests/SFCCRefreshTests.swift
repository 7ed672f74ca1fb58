import FoundationEssentials
import IdentityBolt
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityTesting
import Synchronization
import Testing

@Suite("Bolt behind SFCC: refused refreshes")
struct SFCCRefreshTests: SFCCSuite {
    /// A transport whose GET requests fail before they are sent.
    private struct WithoutGET: HTTPTransport {
        let inner: any HTTPTransport
        let error: HTTPTransportError

        func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
            guard request.method != .get else { throw error }
            return try await inner.send(request)
        }
    }

    private func redirect(_ target: String?, status: Int = 302) -> LoopbackResponse {
        .message(status: status, headers: target.map { [("Location", $0)] } ?? [])
    }

    private func tokens(_ shop: FakeBolt) throws -> TokenSet {
        TokenSet(
            buyer: Buyer(issuer: shop.origin + SFCCProvider.unverifiedIssuerSuffix, subject: "customer:1"),
            accessToken: Secret(try jwt(shop)),
            refreshToken: Secret("RT1"),
            issuedAt: shop.clock.now
        )
    }

    /// The refusal of a failed refresh; its kind says what the failure means for the session.
    private func refusal(
        _ shop: FakeBolt,
        _ provider: SFCCProvider? = nil,
        under lock: HeldLock = .notNeeded
    ) async throws -> RefreshRefusal? {
        let (old, provider) = (try tokens(shop), try provider ?? self.provider(shop))
        do {
            let response = try await provider.requestRefresh(of: old, under: lock)
            _ = try await provider.tokens(from: response, refreshing: old)
            return nil
        } catch let refusal as RefreshRefusal {
            return refusal
        }
    }

    @Test(
        "a refresh is in doubt if the POST was redirected and the redirect cannot be requested",
        arguments: [
            HTTPTransportError.Code.connectionFailed, .resolutionFailed, .tlsFailed, .addressRefused, .cancelled,
        ]
    )
    func redirectNotSent(_ code: HTTPTransportError.Code) async throws {
        let shop = try await shop(redirect("/account"))
        let transport = WithoutGET(
            inner: try CurlTransport(),
            error: HTTPTransportError(code: code, phase: .notSent, message: "Not sent.")
        )
        let environment = IdentityEnvironment(transport: transport, clock: shop.clock, random: SeededRandom(seed: 7))
        #expect(try await refusal(shop, try provider(shop, in: environment))?.kind == .inDoubt)
        #expect(shop.requests.map(\.path) == [Self.tokenPath])
    }

    @Test("a refresh is in doubt if the lock is lost between the POST and the request of its redirect")
    func lockLost() async throws {
        let shop = try await shop(redirect("/account"))
        let lock = HeldLock { shop.requests.isEmpty ? .seconds(60) : .zero }
        let refusal = try await refusal(shop, under: lock)
        #expect(refusal?.kind == .inDoubt)
        #expect(refusal?.error.code == .refreshBusy)
        #expect(shop.requests.map(\.path) == [Self.tokenPath])
    }

    @Test("a refresh is in doubt if the POST had a redirect that is not followed", arguments: 0..<6)
    func redirectRefused(index: Int) async throws {
        let answers = [
            redirect("https://other.example/"), redirect(nil), redirect("/account", status: 307),
            redirect("/account", status: 308), redirect(nil, status: 300), redirect(Self.tokenPath + "?again"),
        ]
        #expect(try await refusal(try await shop(answers[index]))?.kind == .inDoubt)
    }

    @Test(
        "a refresh is in doubt if a redirect of the POST leads to an error, unless it is invalid_grant",
        arguments: [
            (200, #"{"error":"server_error"}"#, RefreshRefusal.Kind.inDoubt), (200, #"{"success":false}"#, .inDoubt),
            (200, "<html>", .inDoubt), (200, #"{"success":true}"#, .inDoubt), (400, #"{"error":"x"}"#, .inDoubt),
            (404, "", .inDoubt), (429, "", .inDoubt), (503, "", .inDoubt),
            (400, #"{"error":"invalid_grant"}"#, .invalidGrant), (200, #"{"error":"invalid_grant"}"#, .invalidGrant),
        ]
    )
    func errorAfterRedirect(status: Int, body: String, kind: RefreshRefusal.Kind) async throws {
        let shop = try await shop(redirect("/account"))
        shop.answer("/account", .message(status: status, body: Array(body.utf8)))
        #expect(try await refusal(shop)?.kind == kind)
    }

    @Test(
        "an error of the POST shows that the refresh token was not used, except for a 500 or an error with a token",
        arguments: [
            (503, "", RefreshRefusal.Kind.throttled), (429, "", .throttled), (400, #"{"error":"x"}"#, .rejected),
            (200, #"{"error":"x"}"#, .rejected), (200, #"{"error":"x","refresh_token":"RT2"}"#, .inDoubt),
            (200, #"{"error":"x","token":"T"}"#, .inDoubt), (400, #"{"error":"x","token":"T"}"#, .inDoubt),
            (503, #"{"data":{"refresh_token":"RT2"}}"#, .inDoubt), (500, "", .inDoubt),
            (400, #"{"error":"invalid_grant","token":"T"}"#, .invalidGrant),
        ]
    )
    func errorOfPOST(status: Int, body: String, kind: RefreshRefusal.Kind) async throws {
        let shop = try await shop(.message(status: status, body: Array(body.utf8)))
        #expect(try await refusal(shop)?.kind == kind)
    }

    @Test("the error of a refresh does not show the values of extraForm", arguments: [200, 400])
    func extraForm(status: Int) async throws {
        let shop = try await shop(.json(["error": .string("F0RM-77 is wrong")], status: status))
        let provider = try provider(shop) { $0.extraForm = [("key", Secret("F0RM-77"))] }
        #expect(try await refusal(shop, provider)?.error.providerResponse?.error == "… is wrong")
    }

    @Test("the storefront's Retry-After pauses all refreshes of the provider")
    func retryAfter() async throws {
        let shop = try await shop(.message(status: 503, headers: [("Retry-After", "40")]))
        let sessions = SessionManager(
            providers: try ProviderRegistry([try provider(shop)]),
            store: InMemoryStore(),
            environment: try shop.environment()
        )
        var ids: [SessionID] = []
        for subject in ["customer:1", "customer:2"] {
            var tokens = try tokens(shop)
            tokens.buyer.subject = subject
            ids.append(try await sessions.establish(tokens, provider: "sfcc").id)
        }
        shop.clock.advance(by: .seconds(3601))
        let first = await #expect(throws: IdentityError.self) { _ = try await sessions.refreshTokens(for: ids[0]) }
        #expect(first?.retryAfter == .seconds(40))
        shop.clock.advance(by: .seconds(39))
        await #expect(throws: IdentityError.self) { _ = try await sessions.refreshTokens(for: ids[1]) }
        #expect(shop.requests(to: Self.tokenPath).count == 1)
    }

    @Test("a redirect of the refresh is followed to the new tokens")
    func redirectFollowed() async throws {
        let shop = try await shop(redirect("/account"))
        let token = try jwt(shop)
        // An unusable lifetime must not lose the new refresh token.
        shop.answer(
            "/account",
            .json(["token": .string(token), "refresh_token": .string("RT2"), "expires_in": .integer(0)])
        )
        let refreshed = try await provider(shop).refresh(tokens(shop))
        #expect(refreshed.accessToken.reveal() == token)
        #expect(refreshed.refreshToken?.reveal() == "RT2")
    }
}
