internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit

/// Which cart belongs to a session, and what of the buyer was put on it.
///
/// Kept as the session's attachment, sealed with it.
struct CartBinding: Sendable {
    enum Identity: String, Sendable {
        case guest
        case contact
        case customer
    }

    var cartID: CartID
    /// The shop that the cart belongs to; a cart of another shop is not this adapter's.
    let shop: String
    var identity = Identity.guest
    /// An HMAC of the claim, keyed by the cart id: tells whether the claim has changed, and nothing about it.
    var fingerprint: [UInt8]?
    /// When the token on the cart expires.
    var expiresAt: Date?
    /// Why the identity is not on the cart.
    var problem: IdentityError.Code?
    var country: String?
    var hasEmail = false
    var hasPhone = false
    /// The delivery addresses that we added, and that a detach takes off again.
    var addressIDs: [String] = []
    /// For the calls that follow a renewal or a logout, where nobody passes a context.
    var buyerIP: String?

    init(cartID: CartID, shop: String) {
        self.cartID = cartID
        self.shop = shop
    }

    var state: CartIdentityState {
        if let problem { return .degraded(problem) }
        return switch identity {
        case .guest: .guest
        case .contact: .contact
        case .customer: .customer(until: expiresAt)
        }
    }

    /// The context for a call that nobody gave one for.
    var lastContext: StorefrontContext { StorefrontContext(buyerIP: buyerIP) }

    var payload: Secret {
        var object: JSONObject = [
            "v": .integer(1), "cart": .string(cartID.rawValue), "shop": .string(shop),
            "identity": .string(identity.rawValue),
        ]
        object["fingerprint"] = fingerprint.map { .string(Base64URL.encode($0)) }
        object["expires"] = expiresAt.flatMap { Int(exactly: ($0.timeIntervalSince1970 * 1000).rounded()) }
            .map { .integer($0) }
        object["problem"] = problem.map { .string($0.rawValue) }
        object["country"] = country.map { .string($0) }
        if hasEmail { object["email"] = .bool(true) }
        if hasPhone { object["phone"] = .bool(true) }
        if !addressIDs.isEmpty { object["addresses"] = .array(addressIDs.map { .string($0) }) }
        object["ip"] = buyerIP.map { .string($0) }
        return Secret(bytes: JSONValue.object(object).serialized)
    }

    init(_ payload: Secret) throws(IdentityError) {
        guard let value = try? JSONValue(parsing: payload.revealBytes()), value["v"]?.number?.integer == 1,
            let cartID = value["cart"]?.string.flatMap(CartID.init(rawValue:)), let shop = value["shop"]?.string,
            let identity = value["identity"]?.string.flatMap(Identity.init(rawValue:))
        else {
            throw IdentityError(
                .configuration,
                .storeCorrupt,
                "A stored cart cannot be read.",
                hint: "It was kept as it is. A newer version of the app may have written it."
            )
        }
        self.cartID = cartID
        self.shop = shop
        self.identity = identity
        fingerprint = value["fingerprint"]?.string.flatMap { Base64URL.decode($0) }
        expiresAt = value["expires"]?.number?.integer.map { Date(timeIntervalSince1970: Double($0) / 1000) }
        problem = value["problem"]?.string.map(IdentityError.Code.init(rawValue:))
        country = value["country"]?.string
        hasEmail = value["email"]?.bool ?? false
        hasPhone = value["phone"]?.bool ?? false
        addressIDs = value["addresses"]?.array?.compactMap(\.string) ?? []
        buyerIP = value["ip"]?.string
    }
}
