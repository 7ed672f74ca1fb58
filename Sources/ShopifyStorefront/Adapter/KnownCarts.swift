internal import Synchronization

/// The lines that carts were last seen with in this process, for telling what became of an addition whose answer was lost.
final class KnownCarts: Sendable {
    private static let maximum = 1_000
    private let lines = Mutex<[CartID: CartLineCounts]>([:])

    func see(_ cart: Cart) {
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
