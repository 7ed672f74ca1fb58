import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentityTesting
import ShopifyStorefront
import Synchronization
import TestDoubles

/// A provider whose tokens are `token-1`, `token-2` and so on, and whose cart claim a test chooses.
final class ClaimProvider: WrappingProvider, CartClaimProviding {
    enum Claim: Sendable {
        case customer
        /// A customer whose token has expired by our clock.
        case expired
        case token(CustomerAccessToken)
        case contact(BuyerContact)
        case none
    }

    let inner: StrictProvider
    private let state: Mutex<(claim: Claim, refreshes: Int, failure: IdentityError?)>
    private let clock: ManualClock

    init(_ claim: Claim, clock: ManualClock, name: String = "test") {
        inner = StrictProvider(clock: clock, name: name)
        state = Mutex((claim, 0, nil))
        self.clock = clock
    }

    var refreshes: Int { state.withLock { $0.refreshes } }

    func become(_ claim: Claim) { state.withLock { $0.claim = claim } }

    func fail(_ error: IdentityError?) { state.withLock { $0.failure = error } }

    func tokens(_ number: Int) -> TokenSet {
        TokenSet(
            buyer: Buyer(issuer: "https://id.example", subject: "ada"),
            accessToken: Secret("token-\(number)"),
            refreshToken: Secret("refresh-\(number)"),
            issuedAt: clock.now,
            expiresAt: clock.now + 3600
        )
    }

    func exchange(_ callback: LoginCallback, for attempt: LoginAttempt) async throws -> TokenSet { tokens(1) }

    func refresh(_ tokens: TokenSet) async throws -> TokenSet {
        let (number, failure) = state.withLock { state in
            state.refreshes += 1
            return (state.refreshes + 1, state.failure)
        }
        if let failure { throw failure }
        return self.tokens(number)
    }

    func cartClaim(for tokens: TokenSet) async throws -> CartClaim {
        switch state.withLock({ $0.claim }) {
        case .customer:
            .customer(
                CustomerAccessToken(
                    issuedByShopify: tokens.accessToken,
                    expiresAt: tokens.expiresAt,
                    issuer: tokens.buyer.issuer
                )
            )
        case .expired:
            .customer(
                CustomerAccessToken(
                    issuedByShopify: tokens.accessToken,
                    expiresAt: clock.now - 60,
                    issuer: tokens.buyer.issuer
                )
            )
        case .token(let token): .customer(token)
        case .contact(let contact): .contact(contact)
        case .none: .none
        }
    }
}

/// A session, its cart adapter, and the fake Storefront API that the adapter calls.
struct TestShop {
    let storefront: FakeStorefront
    let provider: ClaimProvider
    let sessions: SessionManager
    let store = InMemoryStore()
    let carts: CartAdapter
    let session: SessionID
    let clock = ManualClock()
    let context = StorefrontContext(buyerIP: "203.0.113.7", country: "US")

    init(
        _ claim: ClaimProvider.Claim,
        authentication: StorefrontAuthentication = .privateToken(Secret("shpat-private")),
        policy: CartPolicy = CartPolicy(),
        _ handler: @escaping @Sendable (FakeStorefront.Call) async -> LoopbackResponse
    ) async throws {
        storefront = try await FakeStorefront.start(handler)
        provider = ClaimProvider(claim, clock: clock)
        let client = try storefront.client(authentication, clock: clock)
        var waits = SessionManager.Configuration()
        // A logout must end after the buyer was removed from the cart, also on a slow machine.
        waits.participantWait = .seconds(60)
        sessions = SessionManager(
            providers: try ProviderRegistry([provider]),
            store: store,
            environment: IdentityEnvironment(transport: try CurlTransport(), clock: clock),
            configuration: waits
        )
        carts = CartAdapter(client: client, sessions: sessions, store: store, policy: policy)
        session = try await sessions.establish(provider.tokens(1), provider: "test").id
    }

    /// The name of the attachment in which the adapter keeps a session's cart.
    static let row = "cart:shop.example"
    static let lines = [CartLineInput(merchandiseID: "gid://shopify/ProductVariant/1", quantity: 2)]

    var boundCart: String? {
        get async throws {
            try await store.attachment(Self.row, of: session).flatMap {
                try? JSONValue(parsing: $0.payload.revealBytes())["cart"]?.string
            }
        }
    }
}
