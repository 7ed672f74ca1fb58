internal import FoundationEssentials
public import IdentityKit

/// Keeps a session's cart in step with who the buyer is: identity goes on with the cart's first call, follows every renewal,
/// is made sure of at checkout, and comes off at logout.
///
/// The binding of cart and session lives in the session's own store, as an attachment that is named after the shop, and only cart ids
/// that Shopify gave to this server get there; ``adopt(_:for:isVouchedFor:in:)`` is the one exception, by name. Operations on one session
/// come one after the other; several processes are kept apart by compare-and-set. All errors are `IdentityError`.
///
/// The adapter follows the sessions of the manager it is made with, and is held weakly there: the app owns it. An app with several shops
/// makes an adapter for each; a session then has a cart in each shop.
public final class CartAdapter: SessionParticipant {
    let client: StorefrontClient
    /// The name of the session's row; every shop has its own.
    let attachmentName: String
    let sessions: SessionManager
    let store: any SessionAttachmentStore
    let selection: CartSelection
    let policy: CartPolicy
    let line = KeyedLock<SessionID>()
    let cartLine = KeyedLock<CartID>()
    let known = KnownCarts()

    /// Makes an adapter and lets it follow the sessions.
    ///
    /// - Parameters:
    ///   - client: The shop's Storefront API.
    ///   - sessions: The manager whose sessions have carts.
    ///   - store: The store of that manager.
    ///   - policy: What to do where there is a choice.
    public init(
        client: StorefrontClient,
        sessions: SessionManager,
        store: any SessionAttachmentStore,
        policy: CartPolicy = CartPolicy()
    ) {
        self.client = client
        attachmentName = "cart:" + client.configuration.shopDomain
        self.sessions = sessions
        self.store = store
        self.policy = policy
        selection = CartSelection(client.configuration.authentication)
        sessions.add(self)
    }

    // MARK: Following the session

    /// Puts the new token on the session's cart, if it has one whose identity depends on the token.
    ///
    /// - Throws: `IdentityError` when that fails; the next checkout tries again.
    public func sessionRenewed(_ session: Session) async throws {
        let problem = try await changing(session.id) { binding, operation -> CartChange<IdentityError?> in
            guard var binding, binding.identity == .customer || binding.problem != nil else {
                return CartChange(nil, binding)
            }
            let context = binding.lastContext
            // Just renewed: newer tokens than these there are none.
            let claim = try await self.sessions.cartClaim(for: session.id, validFor: .zero).claim
            let proposal = BuyerProposal(claim, in: context)
            guard try self.isDue(proposal, on: binding) else { return CartChange(nil, binding) }
            let attached = try await self.attach(proposal, to: &binding, of: operation, in: context)
            return CartChange(attached.problem, binding)
        }
        if let problem { throw problem }
    }

    /// Takes the buyer off the cart of a session that has ended.
    ///
    /// - Throws: `IdentityError` when the cart may still be the buyer's, so that the logout reports it.
    public func sessionEnded(_ session: Session, attachments: [String: Secret]) async throws {
        guard policy.logout != .drop, let payload = attachments[attachmentName], CartPlaceholder(payload) == nil else {
            return
        }
        let binding = try CartBinding(payload)
        // On a guest's cart there is nobody.
        guard binding.mayHoldBuyer || !session.isGuest else { return }
        try await identityErrors {
            // A guest's session ends inside of a merge that holds its lock. Any other waits for what is under way in this process.
            guard !session.isGuest else { return try await self.free(binding) }
            try await self.holding(session.id, under: CartLocks()) { _ in try await self.free(binding) }
        }
    }

    /// For how long a call that was not answered may still arrive, and after which a process that says nothing counts as dead.
    var patience: Duration { client.deadline + .seconds(30) }

    /// Whether so little time has passed that whoever began then may still be at it.
    ///
    /// A time ahead of our clock counts as fresh: that is the careful side.
    func isFresh(_ date: Date) -> Bool {
        client.environment.clock.now.timeIntervalSince(date) < patience.timeInterval
    }
}
