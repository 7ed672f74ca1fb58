internal import FoundationEssentials
public import IdentityKit

/// Manages the carts of sessions at one Shopify shop.
///
/// A session has at most one cart at the shop. The adapter puts the identity of the session's buyer on this cart, unless the cart is
/// untrusted (``adopt(_:for:isTrusted:in:)``).
///
/// The request that creates a cart also sends the buyer's identity. After a refresh of the session's tokens, the adapter replaces the
/// access token on the cart. ``checkout(for:in:options:)`` puts a customer's token on the cart again. A logout removes the identity, except
/// with ``CartPolicy/Logout/drop``.
///
/// ```swift
/// let carts = CartAdapter(client: storefront, sessions: sessions, store: store)
/// let cart = try await carts.add([CartLineInput(merchandiseID: variantID)], for: session.id, in: context)
/// let handoff = try await carts.checkout(for: session.id, in: context)
/// redirect(to: handoff.url.reveal())
/// ```
///
/// The store keeps the cart's id with the session, as an attachment whose name contains the shop's domain. The id comes from Shopify, or
/// from a call of ``adopt(_:for:isTrusted:in:)``. In one process, operations on one session run one after the other. Changes by another
/// process are detected, because each write names the revision that it replaces (compare-and-set). All errors are `IdentityError`.
///
/// The `SessionManager` tells the adapter about refreshed and ended sessions. The manager holds the adapter weakly, so the app must keep a
/// reference to the adapter. An app with several shops creates one adapter for each shop. A session then has a cart in each shop.
public final class CartAdapter: Sendable {
    /// The Storefront client; use it also for products and other requests that are not about carts.
    public let client: StorefrontClient
    let sessions: SessionManager
    let policy: CartPolicy
    let attachments: CartAttachments
    let locks = InProcessCartLocks()
    let selection: CartSelection
    let lineCache = CartLineCache()
    let runningLogouts: RunningLogouts<LogoutCall, CartLogout>

    /// Creates an adapter and registers it with the session manager.
    ///
    /// `store` must be the store of `sessions`; it keeps the cart ids and provides locks.
    public init(
        client: StorefrontClient,
        sessions: SessionManager,
        store: any SessionAttachmentStore & SessionLocking,
        policy: CartPolicy = CartPolicy()
    ) {
        self.client = client
        self.sessions = sessions
        self.policy = policy
        runningLogouts = RunningLogouts(of: sessions)
        attachments = CartAttachments(
            store: store,
            name: "cart:" + client.configuration.shopDomain,
            clock: client.environment.clock
        )
        selection = CartSelection(client.configuration.authentication)
        sessions.add(self)
    }

    /// How long after its start a request may still reach Shopify: the client's deadline for all attempts, plus 30 seconds.
    var lateCallLimit: Duration { client.deadline + .seconds(30) }

    /// Whether a request that was sent at this time may still reach Shopify, because less than ``lateCallLimit`` has passed.
    ///
    /// Also true for a time in the future, because the clock of the machine that wrote the time may be ahead.
    func lateCallMayArrive(since date: Date) -> Bool {
        client.environment.clock.now.timeIntervalSince(date) < lateCallLimit.timeInterval
    }

    /// Whether a merge or a cart creation that began at this time still counts as running.
    ///
    /// It counts until ``lateCallLimit`` has passed. A time that is further in the future than this limit comes from a wrong clock and does
    /// not count. If it counted, a cart would stay reserved until the other clocks reach this time.
    func stillCounts(since date: Date) -> Bool {
        abs(client.environment.clock.now.timeIntervalSince(date)) < lateCallLimit.timeInterval
    }

    func report(_ kind: CartEvent.Kind, _ id: SessionID) {
        policy.onEvent?(CartEvent(kind, session: id.reference))
    }

    /// Converts an error of the body to an `IdentityError`; all errors and events of the body share one correlation id.
    func identityErrors<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        try await Correlation.scope {
            do { return try await body() } catch let gone as CartGone {
                throw IdentityError.cartIsGone(gone.metadata)
            } catch { throw IdentityError.wrapping(error) }
        }
    }
}
