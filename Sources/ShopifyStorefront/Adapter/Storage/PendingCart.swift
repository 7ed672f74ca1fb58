internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit

/// The content of a session's attachment without a cart: a cart is being created, or will be created again with the lines of a cart that
/// Shopify no longer has.
struct PendingCart: Sendable {
    /// When the creation began; if ``CartAdapter/stillCounts(since:)`` is false for this time, the creation counts as ended.
    var since: Date?
    var lines: [CartLineInput] = []
    // These four values come from the cart that Shopify no longer has.
    var country: String?
    var companyLocationID: String?
    var isAddressRemoved = false
    var buyerIP: String?

    init() {}

    /// Keeps the lines of a cart that Shopify no longer has, for a new cart; nil when no lines are known.
    init?(recreating binding: CartBinding) {
        guard let lines = binding.lines, !lines.isEmpty else { return nil }
        self.lines = lines
        country = binding.country
        companyLocationID = binding.companyLocationID
        isAddressRemoved = binding.isAddressRemoved
        buyerIP = binding.buyerIP
    }

    /// Reads an attachment; nil if it has a cart or another version, or neither a start time nor lines.
    init?(_ value: JSONValue) {
        guard value["cart"] == nil, value["v"]?.number?.integer == CartBinding.version else { return nil }
        since = value["pending"]?.date
        lines = value["lines"]?.array?.compactMap { CartLineInput($0) } ?? []
        country = value["country"]?.string
        companyLocationID = value["location"]?.string
        isAddressRemoved = value["addressRemoved"]?.bool ?? false
        buyerIP = value["ip"]?.string
        guard since != nil || !lines.isEmpty else { return nil }
    }

    var payload: Secret {
        var object: JSONObject = ["v": .integer(CartBinding.version)]
        object["pending"] = since.map { .date($0) }
        if !lines.isEmpty { object["lines"] = CartLineInput.json(lines) }
        object["country"] = country.map { .string($0) }
        object["location"] = companyLocationID.map { .string($0) }
        if isAddressRemoved { object["addressRemoved"] = .bool(true) }
        object["ip"] = buyerIP.map { .string($0) }
        return Secret(bytes: JSONValue.object(object).serialized)
    }
}
