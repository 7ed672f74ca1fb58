internal import IdentityKit
internal import Synchronization

/// A session's cart and the attachment that stores it, for one operation that holds the locks of the session and the cart.
///
/// Only this type writes attachments. While an operation holds the locks, no other task of this process runs an operation on the session or
/// on its cart. Another process can still write the attachment. So each write names the revision that it replaces, and writes nothing when
/// the attachment has another revision. One write relies on the revision alone, without the session's lock: a merge that ends the
/// interrupted merge of another session writes that session's attachment.
final class LockedCart: Sendable {
    private struct State {
        var payload: Secret?
        var revision: Int64?
        var cartID: CartID?
        var sent = SentData.nothing
    }

    /// The buyer's data that may have been sent to the cart since the attachment was read.
    enum SentData {
        case nothing
        /// An address or a gift card.
        case withoutIdentity
        case identity
    }

    let session: SessionID
    /// The session's cart as it was read; nil if the session has no cart.
    let binding: CartBinding?
    let pending: PendingCart?
    /// The locks that the operation holds, for operations inside it.
    let locks: InProcessCartLocks
    private let attachments: CartAttachments
    private let state: Mutex<State>

    init(
        _ session: SessionID,
        _ stored: StoredCart,
        _ attachments: CartAttachments,
        under locks: InProcessCartLocks
    ) {
        self.session = session
        binding = stored.binding
        pending = stored.pending
        self.locks = locks
        self.attachments = attachments
        state = Mutex(State(payload: stored.payload, revision: stored.revision, cartID: stored.binding?.cartID))
    }

    var sent: SentData { state.withLock { $0.sent } }

    /// Whether the attachment names this cart or no cart.
    func mayStore(_ cartID: CartID) -> Bool { state.withLock { $0.cartID ?? cartID } == cartID }

    func isSaved(_ payload: Secret) -> Bool { state.withLock { $0.payload }?.isEqual(to: payload) ?? false }

    func isSavedWithAnotherIP(_ new: CartBinding) -> Bool {
        guard let binding else { return false }
        var other = new
        other.buyerIP = binding.buyerIP
        return isSaved(other.payload)
    }

    /// Writes the attachment, or removes it if `payload` is nil; returns false if its revision has changed, or if the session has ended.
    ///
    /// The write runs in a separate task, so that it completes even if the caller is cancelled. Otherwise Shopify could have a cart that no
    /// attachment names, and the SDK could not remove the buyer from it.
    func write(_ payload: Secret?) async throws -> Bool {
        let (attachments, session, revision) = (attachments, session, state.withLock { $0.revision })
        return try await Task {
            try await attachments.store.setAttachment(attachments.name, to: payload, of: session, expecting: revision)
        }.value
    }

    /// Stores with the session that personal data or gift cards are about to be sent to the cart; call it before the request.
    ///
    /// If the response is lost or this process ends, the attachment still says that the data may be on the cart. So no process gives the
    /// cart to another buyer while the data may still reach Shopify. If this method throws, do not send the data.
    func recordIntent(_ binding: inout CartBinding, sendsIdentity: Bool) async throws {
        let before = binding.unanswered
        binding.unanswered = CartBinding.Unanswered(
            since: attachments.clock.now,
            isIdentity: sendsIdentity || before?.isIdentity == true
        )
        do { try await save(binding) } catch {
            binding.unanswered = before
            throw error
        }
        state.withLock { state in
            if sendsIdentity { state.sent = .identity }
            if state.sent == .nothing { state.sent = .withoutIdentity }
        }
    }

    /// Writes the cart in the middle of an operation, so that after a crash the attachment shows how far the operation got.
    ///
    /// - Throws: ``CartConflict`` when another process changed the attachment, or when the session has ended.
    func save(_ binding: CartBinding) async throws {
        let payload = binding.payload
        guard try await write(payload),
            let written = try await attachments.store.attachment(attachments.name, of: session),
            written.payload.isEqual(to: payload)
        else { throw CartConflict() }
        state.withLock { ($0.payload, $0.revision, $0.cartID) = (written.payload, written.revision, binding.cartID) }
    }
}
