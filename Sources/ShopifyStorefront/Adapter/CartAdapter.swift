internal import FoundationEssentials
public import IdentityKit

/// Manages the carts of sessions at one Shopify shop, and keeps the buyer on each cart up to date with the session.
///
/// The call that creates a cart also sends the buyer's identity. The identity is updated after each refresh of the session's tokens,
/// confirmed at checkout, and removed at logout.
///
/// ```swift
/// let carts = CartAdapter(client: storefront, sessions: sessions, store: store)
/// let cart = try await carts.add([CartLineInput(merchandiseID: variantID)], for: session.id, in: context)
/// let handoff = try await carts.checkout(for: session.id, in: context)
/// redirect(to: handoff.url.reveal())
/// ```
///
/// The store keeps the cart's id with the session, as an attachment whose name contains the shop's domain. Only cart ids that Shopify gave
/// to this server are stored, except the ids that the app passes to ``adopt(_:for:isTrusted:in:)``. Operations on one session run one after
/// the other. Several processes detect each other's changes by compare-and-set. All errors are `IdentityError`.
///
/// The adapter follows the sessions of its manager, which holds it weakly: the app must own it. An app with several shops makes one
/// adapter for each shop, and a session then has a cart in each shop.
public final class CartAdapter: Sendable {
    /// The Storefront client.
    ///
    /// Use it also for products and other requests that are not about carts.
    public let client: StorefrontClient
    let sessions: SessionManager
    let policy: CartPolicy
    let attachments: CartAttachments
    let locks = InProcessCartLocks()
    let selection: CartSelection
    let lineCache = CartLineCache()

    /// Creates an adapter that follows the sessions of a manager.
    ///
    /// - Parameters:
    ///   - client: The shop's Storefront API.
    ///   - sessions: The manager whose sessions have carts.
    ///   - store: The store of that manager, with its attachments and locks.
    ///   - policy: The actions at logout, after a login, and when Shopify no longer has a cart.
    public init(
        client: StorefrontClient,
        sessions: SessionManager,
        store: any SessionAttachmentStore & SessionLocking,
        policy: CartPolicy = CartPolicy()
    ) {
        self.client = client
        self.sessions = sessions
        self.policy = policy
        attachments = CartAttachments(
            store: store,
            name: "cart:" + client.configuration.shopDomain,
            clock: client.environment.clock
        )
        selection = CartSelection(client.configuration.authentication)
        sessions.add(self)
    }

    /// How long a request without a response may still reach Shopify.
    ///
    /// If a process recorded a request longer ago than this, and not its outcome, the process is treated as ended.
    var lateCallLimit: Duration { client.deadline + .seconds(30) }

    /// Whether a request that was sent at this time may still reach Shopify, because less than ``lateCallLimit`` has passed.
    ///
    /// Also true for a time in the future, to be safe.
    func lateCallMayArrive(since date: Date) -> Bool {
        client.environment.clock.now.timeIntervalSince(date) < lateCallLimit.timeInterval
    }

    func report(_ kind: CartEvent.Kind, _ id: SessionID) {
        policy.onEvent?(CartEvent(kind, session: id.reference))
    }

    /// Converts every error to an `IdentityError`, with one correlation id.
    func identityErrors<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        try await Correlation.scope {
            do { return try await body() } catch let gone as CartGone {
                throw IdentityError.cartIsGone(gone.metadata)
            } catch { throw IdentityError.wrapping(error) }
        }
    }
}
