internal import IdentityKit
internal import Synchronization

/// Tokens that Shopify issued outside of a refresh, for example after a new password; the next refresh puts them into the session.
final class TokenReplacements: Sendable {
    private let waiting = Mutex<[(old: Secret, new: TokenSet)]>([])
    private static let maximum = 64

    func add(_ tokens: TokenSet, for old: Secret) {
        waiting.withLock { waiting in
            waiting.removeAll { $0.old.isEqual(to: old) }
            if waiting.count >= Self.maximum { waiting.removeFirst() }
            waiting.append((old, tokens))
        }
    }

    func take(for old: Secret) -> TokenSet? {
        waiting.withLock { waiting in
            guard let index = waiting.firstIndex(where: { $0.old.isEqual(to: old) }) else { return nil }
            return waiting.remove(at: index).new
        }
    }
}
