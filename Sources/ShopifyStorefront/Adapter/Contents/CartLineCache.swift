internal import FoundationEssentials
internal import IdentityKit
internal import Synchronization

/// The lines of at most 1,000 carts, from the latest response with each cart.
///
/// After a lost response, a comparison with these lines shows whether the request added its lines. Lines older than 10 seconds are not
/// used, because another process may have added lines since.
final class CartLineCache: Sendable {
    private static let maximum = 1_000
    private static let maximumAge = Duration.seconds(10)
    private let entries = Mutex<[CartID: (lines: CartLineCounts, time: Date)]>([:])

    /// Keeps the lines of a cart; without `showsLines`, removes the cart's earlier lines instead, because they may be outdated.
    func record(_ cart: Cart, showsLines: Bool, at now: Date) {
        let entry = showsLines ? (CartLineCounts(cart.lines.map(CartLineInput.init)), now) : nil
        entries.withLock { entries in
            entries[cart.id] = entry
            if entries.count > Self.maximum, let oldest = entries.min(by: { $0.value.time < $1.value.time })?.key {
                entries[oldest] = nil
            }
        }
    }

    func lines(of id: CartID, at now: Date) -> CartLineCounts? {
        entries.withLock { $0[id] }.flatMap { entry in
            let age = now.timeIntervalSince(entry.time)
            return (0...Self.maximumAge.timeInterval).contains(age) ? entry.lines : nil
        }
    }
}
