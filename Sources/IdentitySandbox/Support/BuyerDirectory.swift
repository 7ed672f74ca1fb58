internal import Synchronization

/// A buyer with the number that all providers of the sandbox use.
package struct KnownBuyer: Sendable, Equatable {
    package let number: Int
    package var account: SandboxBuyerAccount

    package init(number: Int, account: SandboxBuyerAccount) {
        self.number = number
        self.account = account
    }
}

package final class BuyerDirectory: Sendable {
    private let buyers: Mutex<[KnownBuyer]>

    init(_ accounts: [SandboxBuyerAccount]) {
        buyers = Mutex(
            accounts.enumerated().map { KnownBuyer(number: 7_000_000_001 + $0.offset, account: $0.element) }
        )
    }

    var all: [KnownBuyer] { buyers.withLock { $0 } }

    package func buyer(number: Int) -> KnownBuyer? { all.first { $0.number == number } }

    package func existingBuyer(email: String) -> KnownBuyer? {
        all.first { $0.account.email.lowercased() == email.lowercased() }
    }

    /// Returns the buyer with this e-mail address; creates a buyer for an unknown address, as the real providers do.
    package func buyer(email: String) -> KnownBuyer {
        buyers.withLock { buyers in
            let wanted = email.lowercased()
            if let known = buyers.first(where: { $0.account.email.lowercased() == wanted }) { return known }
            let local = email.prefix { $0 != "@" }
            let account = SandboxBuyerAccount(email: email, firstName: String(local.prefix(64)), lastName: "")
            let buyer = KnownBuyer(number: 7_000_000_001 + buyers.count, account: account)
            buyers.append(buyer)
            return buyer
        }
    }
}
