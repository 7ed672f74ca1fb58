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

    /// The version of the stored form; another one is refused.
    static let version = 2

    /// Personal data that were sent to the cart, and of which no answer has been written down.
    struct Unanswered: Sendable {
        /// When they were sent.
        var since: Date
        /// Whether the buyer's identity is among them, and not only an address.
        var isIdentity: Bool
    }

    var cartID: CartID
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
    /// The delivery addresses that came from the provider: a new one replaces them, and never one that the buyer typed.
    var addressIDs: [String] = []
    /// Written before personal data are sent, and kept for as long as they may still arrive: an answer that is lost leaves no buyer on
    /// a cart whose row does not say so.
    var unanswered: Unanswered?
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

    init(cartID: CartID) {
        self.cartID = cartID
    }

    /// Whether the buyer is on the cart, or may be.
    var mayHoldBuyer: Bool { identity != .guest || unanswered?.isIdentity == true }

    var state: CartIdentityState {
        if let problem { return .degraded(problem) }
        return switch identity {
        case .guest: .guest
        case .contact: .contact
        case .customer: .attached(until: expiresAt)
        }
    }

    /// The context for a call that nobody gave one for.
    var lastContext: StorefrontContext { StorefrontContext(buyerIP: buyerIP) }

    var payload: Secret {
        var object: JSONObject = [
            "v": .integer(Self.version), "cart": .string(cartID.rawValue), "identity": .string(identity.rawValue),
        ]
        object["fingerprint"] = fingerprint.map { .string(Base64URL.encode($0)) }
        object["expires"] = expiresAt?.storedMilliseconds.map { .integer($0) }
        object["problem"] = problem.map { .string($0.rawValue) }
        object["country"] = country.map { .string($0) }
        if hasEmail { object["email"] = .bool(true) }
        if hasPhone { object["phone"] = .bool(true) }
        if !addressIDs.isEmpty { object["addresses"] = .array(addressIDs.map { .string($0) }) }
        object["unanswered"] = unanswered.flatMap { unanswered in
            unanswered.since.storedMilliseconds
                .map { .object(["since": .integer($0), "identity": .bool(unanswered.isIdentity)]) }
        }
        object["ip"] = buyerIP.map { .string($0) }
        if isForeign { object["foreign"] = .bool(true) }
        object["location"] = companyLocationID.map { .string($0) }
        object["lines"] = lines.map(CartLineInput.json)
        object["taker"] = taker.flatMap { taker in
            taker.since.storedMilliseconds
                .map { .object(["session": .string(taker.session), "since": .integer($0)]) }
        }
        object["merge"] = mergeBase.map(CartLineInput.json)
        object["merge_source"] = mergeSource.map { .string($0.rawValue) }
        return Secret(bytes: JSONValue.object(object).serialized)
    }

    init(_ payload: Secret) throws(IdentityError) {
        guard let value = try? JSONValue(parsing: payload.revealBytes()), value["v"]?.number?.integer == Self.version,
            let cartID = value["cart"]?.string.flatMap(CartID.init(rawValue:)),
            let identity = value["identity"]?.string.flatMap(Identity.init(rawValue:))
        else {
            throw IdentityError(
                .configuration,
                .storeCorrupt,
                "A stored cart cannot be read.",
                hint: "It was kept as it is. Another version of the app may have written it."
            )
        }
        self.cartID = cartID
        self.identity = identity
        fingerprint = value["fingerprint"]?.string.flatMap { Base64URL.decode($0) }
        expiresAt = value["expires"]?.number?.integer.map { Date(timeIntervalSince1970: Double($0) / 1000) }
        problem = value["problem"]?.string.map(IdentityError.Code.init(rawValue:))
        country = value["country"]?.string
        hasEmail = value["email"]?.bool ?? false
        hasPhone = value["phone"]?.bool ?? false
        addressIDs = value["addresses"]?.array?.compactMap(\.string) ?? []
        if let since = value["unanswered"]?["since"]?.number?.integer {
            unanswered = Unanswered(
                since: Date(timeIntervalSince1970: Double(since) / 1000),
                isIdentity: value["unanswered"]?["identity"]?.bool ?? true
            )
        }
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
