internal import Synchronization

/// A buyer with the number by which all providers of the sandbox know the person.
struct KnownBuyer: Sendable, Equatable {
    let number: Int
    var account: SandboxBuyerAccount
}

/// The people of the sandbox, shared by its providers.
final class BuyerDirectory: Sendable {
    private let buyers: Mutex<[KnownBuyer]>

    init(_ accounts: [SandboxBuyerAccount]) {
        buyers = Mutex(
            accounts.enumerated().map { KnownBuyer(number: 7_000_000_001 + $0.offset, account: $0.element) }
        )
    }

    var all: [KnownBuyer] { buyers.withLock { $0 } }

    func buyer(number: Int) -> KnownBuyer? {
        buyers.withLock { $0.first { $0.number == number } }
    }

    /// Whoever has the address; an unknown one becomes a new buyer, as at the real providers.
    func buyer(email: String) -> KnownBuyer {
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
