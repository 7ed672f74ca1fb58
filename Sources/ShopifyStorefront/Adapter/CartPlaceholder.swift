internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit

/// A session's row without a cart: a cart is being made, or is to be made again with the lines of one that is gone.
struct CartPlaceholder: Sendable {
    /// Since when a cart is being made; a row that says so for long was left by a process that died.
    var pendingSince: Date?
    /// The lines that a new cart gets.
    var lines: [CartLineInput] = []
    /// The country that the lost cart priced for.
    var country: String?
    /// The buyer's last IP.
    var buyerIP: String?

    init(pendingSince: Date? = nil) {
        self.pendingSince = pendingSince
    }

    /// What is kept of a cart that is gone; nil where its lines are not known.
    init?(lost binding: CartBinding) {
        guard let lines = binding.lines, !lines.isEmpty else { return nil }
        self.lines = lines
        country = binding.country
        buyerIP = binding.buyerIP
    }

    /// Reads a row; nil for one that names a cart.
    init?(_ payload: Secret) {
        guard let value = try? JSONValue(parsing: payload.revealBytes()), value["cart"] == nil,
            value["v"]?.number?.integer == CartBinding.version
        else { return nil }
        pendingSince = value["pending"]?.number?.integer.map { Date(timeIntervalSince1970: Double($0) / 1000) }
        lines = value["lines"]?.array?.compactMap { CartLineInput($0) } ?? []
        country = value["country"]?.string
        buyerIP = value["ip"]?.string
        guard pendingSince != nil || !lines.isEmpty else { return nil }
    }

    var payload: Secret {
        var object: JSONObject = ["v": .integer(CartBinding.version)]
        object["pending"] = pendingSince?.storedMilliseconds.map { .integer($0) }
        if !lines.isEmpty { object["lines"] = CartLineInput.json(lines) }
        object["country"] = country.map { .string($0) }
        object["ip"] = buyerIP.map { .string($0) }
        return Secret(bytes: JSONValue.object(object).serialized)
    }
}

extension Date {
    /// Milliseconds since 1970, as rows keep times.
    var storedMilliseconds: Int? { Int(exactly: (timeIntervalSince1970 * 1000).rounded()) }
}
