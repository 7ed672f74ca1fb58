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
    /// The delivery addresses that the buyer typed; personal too, and taken off with the rest.
    var typedAddressIDs: [String] = []
    /// For the calls that follow a renewal or a logout, where nobody passes a context.
    var buyerIP: String?
    /// Whether the id came from the buyer's side; such a cart gets no identity.
    var isForeign = false
    /// The company location that the buyer buys for.
    var companyLocationID: String?
    /// The lines that the cart was last seen with, where a cart that is gone is to be made anew.
    var lines: [CartLineInput]?
    /// A merge that has begun: what this cart held before it.
    var mergeBase: [CartLineInput]?
    /// The guest's cart whose merge that is.
    var mergeSource: CartID?
    /// The session that is taking a guest's cart over, and since when: no other one gets it then.
    var taker: (session: String, since: Date)?

    init(cartID: CartID, shop: String) {
        self.cartID = cartID
        self.shop = shop
    }

    var state: CartIdentityState {
        if let problem { return .degraded(problem) }
        return switch identity {
        case .guest: .guest
        case .contact: .contact
        case .customer: .attached(until: expiresAt)
        }
    }

    /// A row that says that a cart is being made; found later, its process died before it could write down which.
    static func pending(since date: Date) -> Secret {
        let time = Int(exactly: (date.timeIntervalSince1970 * 1000).rounded()) ?? 0
        return Secret(bytes: JSONValue.object(["v": .integer(1), "pending": .integer(time)]).serialized)
    }

    /// Since when a cart is being made, where the row says that.
    static func pendingSince(_ payload: Secret) -> Date? {
        guard let value = try? JSONValue(parsing: payload.revealBytes()), value["cart"] == nil,
            let time = value["pending"]?.number?.integer
        else { return nil }
        return Date(timeIntervalSince1970: Double(time) / 1000)
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
        if !typedAddressIDs.isEmpty { object["typed"] = .array(typedAddressIDs.map { .string($0) }) }
        object["ip"] = buyerIP.map { .string($0) }
        if isForeign { object["foreign"] = .bool(true) }
        object["location"] = companyLocationID.map { .string($0) }
        object["lines"] = lines.map(CartLineInput.json)
        object["taker"] = taker.flatMap { taker in
            Int(exactly: (taker.since.timeIntervalSince1970 * 1000).rounded())
                .map { .object(["session": .string(taker.session), "since": .integer($0)]) }
        }
        object["merge"] = mergeBase.map(CartLineInput.json)
        object["merge_source"] = mergeSource.map { .string($0.rawValue) }
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
        typedAddressIDs = value["typed"]?.array?.compactMap(\.string) ?? []
        buyerIP = value["ip"]?.string
        isForeign = value["foreign"]?.bool ?? false
        companyLocationID = value["location"]?.string
        lines = value["lines"]?.array?.compactMap { CartLineInput($0) }
        if let session = value["taker"]?["session"]?.string, let since = value["taker"]?["since"]?.number?.integer {
            taker = (session, Date(timeIntervalSince1970: Double(since) / 1000))
        }
        mergeBase = value["merge"]?.array?.compactMap { CartLineInput($0) }
        mergeSource = value["merge_source"]?.string.flatMap(CartID.init(rawValue:))
    }
}
