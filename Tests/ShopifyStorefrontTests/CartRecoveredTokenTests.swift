import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityTesting
import ShopifyGraphQL
import ShopifyStorefront
import Synchronization
import TestDoubles
import Testing

@Suite("The Storefront API rejects tokens that an earlier refresh received")
struct CartRecoveredTokenTests {
    @Test("if the Storefront API rejects tokens from a stored response, the next attempt refreshes them")
    func rejected() async throws {
        let clock = ManualClock(isAdvancedBySleeping: true)
        let provider = StoredResponseProvider(ClaimProvider(.customer, clock: clock))
        let storefront = try await FakeStorefront.start { call in
            guard let token = call.token, token != "token-3" else { return await CartIdentityTests.shopify(call) }
            // From now on the stored response can be validated.
            provider.acceptResponses()
            return .payload(call.field, cart: "null", userErrors: LoopbackResponse.tokenRefused)
        }
        let store = InMemoryStore()
        let sessions = SessionManager(
            providers: try ProviderRegistry([provider]),
            store: store,
            environment: IdentityEnvironment(transport: try CurlTransport(), clock: clock)
        )
        let carts = CartAdapter(client: try storefront.client(clock: clock), sessions: sessions, store: store)
        let id = try await sessions.establish(provider.inner.tokens(1), provider: "test").id
        // The response with token-2 is stored, and is not validated yet.
        await #expect(throws: IdentityError.self) { try await sessions.refreshTokens(for: id) }
        let created = try await carts.create(TestShop.lines, for: id)
        #expect(created.identity == .degraded(.identityRejected))
        #expect(storefront.calls.prefix(3).map(\.token) == ["token-1", "token-2", nil])
        let cart = try await carts.attach(to: id)
        #expect(cart.problem == nil)
        #expect(storefront.calls.last?.token == "token-3")
        #expect(provider.inner.refreshes == 2)
    }
}

/// A provider whose responses to a refresh are stored, and cannot be validated until a test permits it.
private final class StoredResponseProvider: WrappingProvider, JournaledRefreshing, CartClaimProviding {
    let inner: ClaimProvider
    private let acceptsResponses = Mutex(false)

    init(_ inner: ClaimProvider) { self.inner = inner }

    func acceptResponses() { acceptsResponses.withLock { $0 = true } }

    func requestRefresh(of tokens: TokenSet, under lock: HeldLock) async throws(RefreshRefusal) -> RefreshResponse {
        do {
            let new = try await inner.refresh(tokens)
            return RefreshResponse(
                status: 200,
                body: new.accessToken,
                startedAt: new.issuedAt,
                receivedAt: new.issuedAt
            )
        } catch {
            throw RefreshRefusal(error)
        }
    }

    func tokens(from response: RefreshResponse, refreshing tokens: TokenSet) async throws -> TokenSet {
        guard acceptsResponses.withLock({ $0 }) else {
            throw IdentityError(.retryLater, .providerUnavailable, "No keys.")
        }
        return inner.tokens(response.body.reveal() == "token-2" ? 2 : 3)
    }

    func cartClaim(for tokens: TokenSet) async throws -> CartClaim { try await inner.cartClaim(for: tokens) }
}
