internal import IdentityKit
internal import Synchronization

/// Records which sessions have new tokens that could not be stored, and whether work such as a refresh still ran at the time limit.
///
/// The new tokens are lost when the process ends, unless a later attempt has stored them.
final class NonDurableTokens: Sendable {
    private struct LastWork {
        /// The manager, kept alive because its address is the key in `works`: a new manager could get the address of a released manager.
        let manager: SessionManager
        let found: Set<SessionReference>
        let isComplete: Bool
    }

    private let works = Mutex<[ObjectIdentifier: LastWork]>([:])

    /// Records the sessions whose tokens `drain()` could not store, and whether `drain()` ended before its time limit.
    ///
    /// This record replaces the record of an earlier drain of the manager, because the later drain may have stored the tokens.
    func record(_ found: Set<SessionReference>, isComplete: Bool, of manager: SessionManager) {
        works.withLock {
            $0[ObjectIdentifier(manager)] = LastWork(manager: manager, found: found, isComplete: isComplete)
        }
    }

    /// A warning for the operator; nil if all work has ended and all tokens are stored.
    var warning: IdentityError? {
        let works = works.withLock { Array($0.values) }
        if works.contains(where: { !$0.found.isEmpty }) { return Self.unsaved }
        return works.allSatisfy(\.isComplete) ? nil : Self.unfinished
    }

    private static var unsaved: IdentityError {
        IdentityError(
            .retryLater,
            .tokensNotDurable,
            "New tokens could not be stored: neither the session store nor a spool saved them.",
            hint: """
                Repair the session store before the next refresh. For PostgreSQL, also set store.spool to a directory to which the user \
                of this command can write. The new tokens are lost when this command ends, so their buyers may have to sign in again.
                """
        )
    }

    private static var unfinished: IdentityError {
        IdentityError(
            .retryLater,
            .tokensNotDurable,
            "Token refreshes, cart changes or other background work were still in progress \(Deployment.lastWorkSeconds) seconds after "
                + "the rest of the command.",
            hint: """
                Check that the provider, the store and the shop respond. Then run "identity-lab token --session ID --refresh" for \
                each session that was in use and still exists. New tokens that the provider sends after this command has ended are \
                lost, and the buyer may have to sign in again.
                """
        )
    }
}
