internal import Synchronization

/// The lines that this process last saw in carts.
///
/// They show whether lines were added when the response was lost.
final class CartLineCache: Sendable {
    private static let maximum = 1_000
    private let lines = Mutex<[CartID: CartLineCounts]>([:])

    func record(_ cart: Cart) {
        let counts = cart.hasMoreLines ? nil : CartLineCounts(cart.lines.map(CartLineInput.init))
        lines.withLock { lines in
            if lines.count >= Self.maximum { lines.removeAll() }
            lines[cart.id] = counts
        }
    }

    func lines(of id: CartID) -> CartLineCounts? {
        lines.withLock { $0[id] }
    }

    func forget(_ id: CartID) {
        lines.withLock { $0[id] = nil }
    }
}
