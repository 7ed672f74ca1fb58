internal import Synchronization

/// Stores the last valid key set of a provider.
final class LastKnownKeySet: Sendable {
    private let stored = Mutex<KeySetSnapshot?>(nil)

    var snapshot: KeySetSnapshot? { stored.withLock { $0 } }

    /// Saves a key set, unless a later response is stored already: two chains may fetch at the same time.
    func save(_ latest: KeySetSnapshot) {
        stored.withLock { stored in
            if let stored, stored.url == latest.url, stored.fetch > latest.fetch { return }
            stored = latest
        }
    }
}
