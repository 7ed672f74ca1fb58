public import IdentityKit

/// Keeps a session's cart in step with who the buyer is: identity goes on with the cart's first call, follows every renewal,
/// is made sure of at checkout, and comes off at logout.
///
/// The binding of cart and session lives in the session's own store as the attachment `cart`, and only cart ids that Shopify
/// gave to this server get there; ``adopt(_:for:isVouchedFor:in:)`` is the one exception, by name. Operations on one session come one
/// after the other; several processes are kept apart by compare-and-set. All errors are `IdentityError`.
///
/// The adapter follows the sessions of the manager it is made with, and is held weakly there: the app owns it.
public final class CartAdapter: SessionParticipant {
    static let attachmentName = "cart"

    let client: StorefrontClient
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
        let problem = try await changing(session.id) { binding -> CartChange<IdentityError?> in
            guard var binding, binding.identity == .customer || binding.problem != nil else {
                return CartChange(nil, binding)
            }
            let context = binding.lastContext
            // Just renewed: newer tokens than these there are none.
            let claim = try await self.sessions.cartClaim(for: session.id, validFor: .zero).claim
            let proposal = BuyerProposal(claim, in: context)
            guard try self.isDue(proposal, on: binding) else { return CartChange(nil, binding) }
            let attached = try await self.attach(proposal, to: &binding, of: session.id, in: context)
            return CartChange(attached.problem, binding, sentIdentity: true)
        }
        if let problem { throw problem }
    }

    /// Takes the buyer off the cart of a session that has ended.
    ///
    /// - Throws: `IdentityError` when the cart may still be the buyer's, so that the logout reports it.
    public func sessionEnded(_ session: Session, attachments: [String: Secret]) async throws {
        guard policy.logout != .drop, let payload = attachments[Self.attachmentName],
            CartBinding.pendingSince(payload) == nil
        else { return }
        let binding = try CartBinding(payload)
        // Another shop's cart is another adapter's business, and on a guest's there is nobody.
        guard isOurs(binding), binding.identity != .guest || !session.isGuest else { return }
        try await identityErrors {
            try await self.holding(session.id) {
                var binding = binding
                do {
                    _ = try await self.withdraw(&binding, in: binding.lastContext)
                } catch is CartVanished {
                    // What does not exist belongs to nobody.
                }
            }
        }
    }

    func isOurs(_ binding: CartBinding) -> Bool {
        binding.shop.utf8.elementsEqual(client.configuration.shopDomain.utf8)
    }
}
