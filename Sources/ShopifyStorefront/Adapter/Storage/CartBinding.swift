internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit

/// The cart of a session, and the data of the buyer that were put on it.
///
/// It is stored as an attachment of the session, and sealed like the session.
struct CartBinding: Sendable {
    /// The version of the stored form.
    ///
    /// Other versions are rejected.
    static let version = 2

    /// Data that were sent to the cart, and whose response is not saved yet.
    struct Unanswered: Sendable {
        /// The time of sending.
        var since: Date
        /// Whether the data contain the buyer's identity, and not only an address or a gift card.
        var isIdentity: Bool
    }

    /// A merge of this guest's cart: the other cart, its session, and lines.
    ///
    /// The properties of this type say which lines.
    struct Merge: Sendable {
        let session: String
        let cartID: CartID
        let lines: [CartLineInput]

        func isInto(_ cartID: CartID, of session: SessionID) -> Bool {
            self.cartID == cartID || isOf(session)
        }

        func isOf(_ session: SessionID) -> Bool { self.session.utf8.elementsEqual(session.rawValue.utf8) }
    }

    var cartID: CartID
    var identity = CartIdentity.guest
    /// An HMAC of the claim, keyed by the cart id.
    ///
    /// It shows only whether the claim has changed.
    var fingerprint: [UInt8]?
    /// When the token on the cart expires.
    var expiresAt: Date?
    /// The reason why the identity is not on the cart.
    var problem: IdentityError.Code?
    var country: String?
    var hasEmail = false
    var hasPhone = false
    /// The delivery addresses that came from the provider.
    ///
    /// Only these are replaced, never one that the buyer entered.
    var addressIDs: [String] = []
    /// Written before personal data or gift cards are sent, and kept while they may still arrive.
    ///
    /// So after a lost response the attachment shows that the cart may contain data of the buyer.
    var unanswered: Unanswered?
    /// The buyer's IP of the last call, for requests after a refresh or a logout, which have no context of their own.
    var buyerIP: String?
    /// Whether the id came from an untrusted source, such as the buyer's browser.
    ///
    /// Such a cart gets no identity.
    var isUntrusted = false
    /// The company location that the buyer buys for.
    var companyLocationID: String?
    /// The lines that the cart last had; kept only with the policy `recreate`, for the new cart.
    var lines: [CartLineInput]?
    /// The lines that the other cart had before a merge of this guest's cart that has begun.
    var mergeBase: Merge?
    /// The lines of this guest's cart that merges have added to other carts, the latest last.
    ///
    /// A repeated merge does not add them again, because the buyer may have removed them.
    private(set) var merges: [Merge] = []
    /// The session that is merging this guest's cart, and when the merge began.
    ///
    /// Until ``CartAdapter/lateCallLimit`` has passed, no other session can merge the cart.
    var reservation: (session: String, since: Date)?

    /// The guest's session from which the cart was adopted; it also stores the cart if that merge was interrupted.
    var guest: String?

    init(cartID: CartID) {
        self.cartID = cartID
    }

    /// The earlier merge into a cart, or else the latest one into its session, whose cart can have got a new id.
    func merge(into cartID: CartID, of session: SessionID) -> Merge? {
        merges.last { $0.cartID == cartID } ?? merges.last { $0.isOf(session) }
    }

    /// Records a merge that has ended in place of an earlier one into the same cart; of the others, the seven latest are kept.
    mutating func record(_ merge: Merge) {
        mergeBase = nil
        merges = merges.filter { $0.cartID != merge.cartID }.suffix(7) + [merge]
    }

    /// Whether this guest's cart is reserved for a session.
    func isReserved(for session: SessionID) -> Bool {
        reservation?.session.utf8.elementsEqual(session.rawValue.utf8) == true
    }

    /// Whether the buyer is on the cart, or may be.
    var mayHoldBuyer: Bool { identity != .guest || unanswered?.isIdentity == true }

    var state: CartIdentityState {
        if let problem { return .degraded(problem) }
        return switch identity {
        case .guest: .guest
        case .contact: .contact
        case .customer: .customer(until: expiresAt)
        }
    }

    /// The context for a call that has none.
    var lastContext: StorefrontContext { StorefrontContext(buyerIP: buyerIP) }

    /// The context of a call that keeps the cart's country unless the call itself has one.
    func keepingCountry(in context: StorefrontContext) -> StorefrontContext {
        StorefrontContext(country: country).overridden(by: context)
    }

    var payload: Secret {
        var object: JSONObject = [
            "v": .integer(Self.version), "cart": .string(cartID.rawValue), "identity": .string(identity.rawValue),
        ]
        object["fingerprint"] = fingerprint.map { .string(Base64URL.encode($0)) }
        object["expires"] = expiresAt.map { .date($0) }
        object["problem"] = problem.map { .string($0.rawValue) }
        object["country"] = country.map { .string($0) }
        if hasEmail { object["email"] = .bool(true) }
        if hasPhone { object["phone"] = .bool(true) }
        if !addressIDs.isEmpty { object["addresses"] = .array(addressIDs.map { .string($0) }) }
        object["unanswered"] = unanswered.map {
            .object(["since": .date($0.since), "identity": .bool($0.isIdentity)])
        }
        object["ip"] = buyerIP.map { .string($0) }
        if isUntrusted { object["untrusted"] = .bool(true) }
        object["location"] = companyLocationID.map { .string($0) }
        object["lines"] = lines.map(CartLineInput.json)
        object["reservation"] = reservation.map {
            .object(["session": .string($0.session), "since": .date($0.since)])
        }
        object["guest"] = guest.map { .string($0) }
        object["merge"] = mergeBase.map(\.json)
        if !merges.isEmpty { object["merged"] = .array(merges.map(\.json)) }
        return Secret(bytes: JSONValue.object(object).serialized)
    }

    init(_ value: JSONValue?) throws(IdentityError) {
        guard let value, value["v"]?.number?.integer == Self.version,
            let cartID = value["cart"]?.string.flatMap(CartID.init(rawValue:)),
            let identity = value["identity"]?.string.flatMap(CartIdentity.init(rawValue:))
        else {
            throw IdentityError(
                .configuration,
                .storeCorrupt,
                "A stored cart could not be read.",
                hint:
                    "Check whether another version of the app wrote it, and run that one, or end the session. Nothing was changed."
            )
        }
        self.cartID = cartID
        self.identity = identity
        fingerprint = value["fingerprint"]?.string.flatMap { Base64URL.decode($0) }
        expiresAt = value["expires"]?.date
        problem = value["problem"]?.string.map(IdentityError.Code.init(rawValue:))
        country = value["country"]?.string
        hasEmail = value["email"]?.bool ?? false
        hasPhone = value["phone"]?.bool ?? false
        addressIDs = value["addresses"]?.array?.compactMap(\.string) ?? []
        unanswered = value["unanswered"]?["since"]?.date.map {
            Unanswered(since: $0, isIdentity: value["unanswered"]?["identity"]?.bool ?? true)
        }
        buyerIP = value["ip"]?.string
        isUntrusted = value["untrusted"]?.bool ?? false
        companyLocationID = value["location"]?.string
        lines = value["lines"]?.array?.compactMap { CartLineInput($0) }
        if let session = value["reservation"]?["session"]?.string, let since = value["reservation"]?["since"]?.date {
            reservation = (session, since)
        }
        guest = value["guest"]?.string
        mergeBase = value["merge"].flatMap { Merge($0) }
        merges = (value["merged"]?.array ?? []).compactMap { Merge($0) }
    }
}

extension CartBinding.Merge {
    fileprivate var json: JSONValue {
        .object([
            "session": .string(session), "cart": .string(cartID.rawValue), "lines": CartLineInput.json(lines),
        ])
    }

    fileprivate init?(_ value: JSONValue) {
        guard let session = value["session"]?.string, let id = value["cart"]?.string.flatMap(CartID.init(rawValue:))
        else { return nil }
        self.init(
            session: session,
            cartID: id,
            lines: (value["lines"]?.array ?? []).compactMap { CartLineInput($0) }
        )
    }
}
