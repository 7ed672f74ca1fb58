internal import IdentityKit
internal import ShopifyStorefront
internal import Synchronization

/// The password changes that the next refresh of their session must send, or is sending.
///
/// After a password change, Shopify revokes the session's token. Only the response contains the new token. So a refresh sends the change
/// instead of its usual request, and saves the new token. During a refresh, the process holds the session's lock, so no other process
/// refreshes the session with the revoked token.
final class PasswordChanges: Sendable {
    final class Change: Sendable {
        let operation: LegacyCustomerUpdate
        let context: StorefrontContext
        fileprivate let state = Mutex(State.notExecuted)

        init(_ operation: LegacyCustomerUpdate, in context: StorefrontContext) {
            self.operation = operation
            self.context = context
        }

        func set(_ new: State) { state.withLock { $0 = new } }
    }

    enum State: Sendable {
        /// The change was not sent, or Shopify did not accept its token.
        case notExecuted
        case sent
        case finished(Result<StorefrontResult<LegacyCustomerUpdate.Output>, any Error>)
    }

    private let changes = Mutex<[Change]>([])

    var isEmpty: Bool { changes.withLock { $0.isEmpty } }

    func add(_ change: Change) { changes.withLock { $0.append(change) } }

    /// Returns a change that the refresh of this token has to send, and marks the change as sent; nil if no such change waits.
    func take(for token: Secret) -> Change? {
        changes.withLock { changes in
            changes.first { change in
                guard change.operation.customerAccessToken.isEqual(to: token) else { return false }
                return change.state.withLock { state in
                    guard case .notExecuted = state else { return false }
                    state = .sent
                    return true
                }
            }
        }
    }

    func remove(_ change: Change) -> State {
        changes.withLock { $0.removeAll { $0 === change } }
        return change.state.withLock { $0 }
    }
}
