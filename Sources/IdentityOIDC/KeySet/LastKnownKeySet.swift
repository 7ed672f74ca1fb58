internal import Synchronization

/// The last good keys of a provider.
final class LastKnownKeySet: Sendable {
    private let snapshot = Mutex<KeySetSnapshot?>(nil)

    var last: KeySetSnapshot? { snapshot.withLock { $0 } }

    /// Keeps keys, unless an answer that came after them is kept already: two chains may have asked at the same time.
    func keep(_ latest: KeySetSnapshot) {
        snapshot.withLock { snapshot in
            if let kept = snapshot, kept.url == latest.url, kept.fetch > latest.fetch { return }
            snapshot = latest
        }
    }
}
