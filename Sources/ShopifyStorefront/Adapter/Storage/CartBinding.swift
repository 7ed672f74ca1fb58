internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit

/// A session's cart, and what the adapter records about this cart.
///
/// The value is stored as an attachment of the session. The store seals (encrypts) the attachment like the session.
struct CartBinding: Sendable {
    /// The version of the stored JSON; reading another version is an error.
    static let version = 2

    /// A request that sends data of the buyer to the cart, and whose outcome is not stored yet.
    struct Unanswered: Sendable {
        /// The time just before the request.
        var since: Date
        /// Whether this request, or an earlier request without a response, sends the buyer's identity; otherwise it sends only
        /// addresses or gift cards that the buyer has entered.
        var isIdentity: Bool
    }

    /// A merge of this guest's cart into a buyer's cart; for the meaning of `lines`, see ``mergeBase`` and ``merges``.
    struct Merge: Sendable {
        let session: SessionID
        let cartID: CartID
        let lines: [CartLineInput]

        func isInto(_ cartID: CartID, of session: SessionID) -> Bool {
            self.cartID == cartID || self.session == session
        }
    }

    var cartID: CartID
    var identity = CartIdentity.guest
    /// An HMAC of the cart claim (the identity that the provider gives for carts), to detect a changed claim; its key is the cart id.
    var fingerprint: [UInt8]?
    /// When the token on the cart expires.
    var expiresAt: Date?
    /// Why the last attempt could not put the identity on the cart; nil if there was no problem.
    var problem: IdentityError.Code?
    /// The country that Shopify last accepted for the cart.
    var country: String?
    /// The country that the last accepted identity lacks, because Shopify refused this country or did not say which part it refused.
    ///
    /// A checkout does not send a contact's identity again only because of this country. The adapter does not add this country to the
    /// context of requests, because Shopify rejects each document with an unknown country.
    var refusedCountry: String?
    /// A country that Shopify refused with a user error in a request with only the country; the adapter does not send it alone again.
    var countryRefusedAlone: String?
    var hasEmail = false
    var hasPhone = false
    /// The ids of the delivery addresses that came from the provider.
    ///
    /// Another address on the cart counts as entered by the buyer, and an attach then does not replace the addresses.
    var addressIDs: [String] = []
    /// Whether the buyer has removed the provider's address; an attach of the same identity then does not put the address on the cart.
    var isAddressRemoved = false
    /// The last request that sent personal data or gift cards to the cart, while its outcome is unknown.
    ///
    /// It is stored before the request is sent. After a lost response, it shows that the cart may contain data of the buyer.
    var unanswered: Unanswered?
    /// The buyer's IP of the last operation, for requests for which the app passes no IP, for example after a refresh.
    var buyerIP: String?
    /// Whether the id came from an untrusted source, such as the buyer's browser; the cart then gets no identity.
    var isUntrusted = false
    var companyLocationID: String?
    /// The last known lines of the cart's first page, for a new cart when Shopify no longer has this cart; only with the policy `recreate`.
    var lines: [CartLineInput]?
    /// A merge of this guest's cart that has begun and not ended, with the lines that the buyer's cart had before the merge.
    var mergeBase: Merge?
    /// The merges of this guest's cart that have ended, the latest last, with the lines that each merge added to a buyer's cart.
    ///
    /// A repeated merge does not add the lines of an ended merge again, because the buyer may have removed them since.
    private(set) var merges: [Merge] = []
    /// The session that is merging this guest's cart, and when it reserved the cart.
    var reservation: (session: SessionID, since: Date)?
    /// The last characters of the gift cards of the cart that this guest's cart replaces, in case the merge is interrupted.
    var replacedGiftCards: [String] = []
    /// The guest's session from which this session took over the cart; after an interrupted merge, both sessions can have the cart.
    var guest: SessionID?

    init(cartID: CartID) {
        self.cartID = cartID
    }

    /// Finds the latest ended merge by the cart, or else by the session, whose cart may have got a new id since the merge.
    func merge(into cartID: CartID, of session: SessionID) -> Merge? {
        merges.last { $0.cartID == cartID } ?? merges.last { $0.session == session }
    }

    /// Records an ended merge in place of an earlier merge into the same cart; of the merges into other carts, the seven latest are kept.
    mutating func record(_ merge: Merge) {
        mergeBase = nil
        merges = merges.filter { $0.cartID != merge.cartID }.suffix(7) + [merge]
    }

    /// Records that the buyer removes these addresses, of which some may come from the provider.
    mutating func removeAddresses(_ ids: [String]) {
        let left = addressIDs.filter { !ids.contains($0) }
        if left.count < addressIDs.count { isAddressRemoved = true }
        addressIDs = left
    }

    func isReserved(for session: SessionID) -> Bool { reservation?.session == session }

    /// Whether the buyer's identity is on the cart, or may be there after a request without a response.
    var mayHoldBuyer: Bool { identity != .guest || unanswered?.isIdentity == true }

    var state: CartIdentityState {
        if let problem { return .degraded(problem) }
        return switch identity {
        case .guest: .guest
        case .contact: .contact
        case .customer: .customer(until: expiresAt)
        }
    }

    var lastContext: StorefrontContext { StorefrontContext(buyerIP: buyerIP) }

    /// Returns the context, with the cart's country if the context has no country.
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
        object["refusedCountry"] = refusedCountry.map { .string($0) }
        object["countryRefusedAlone"] = countryRefusedAlone.map { .string($0) }
        if hasEmail { object["email"] = .bool(true) }
        if hasPhone { object["phone"] = .bool(true) }
        if !addressIDs.isEmpty { object["addresses"] = .array(addressIDs.map { .string($0) }) }
        if isAddressRemoved { object["addressRemoved"] = .bool(true) }
        object["unanswered"] = unanswered.map {
            .object(["since": .date($0.since), "identity": .bool($0.isIdentity)])
        }
        object["ip"] = buyerIP.map { .string($0) }
        if isUntrusted { object["untrusted"] = .bool(true) }
        object["location"] = companyLocationID.map { .string($0) }
        object["lines"] = lines.map(CartLineInput.json)
        object["reservation"] = reservation.map {
            .object(["session": .string($0.session.rawValue), "since": .date($0.since)])
        }
        if !replacedGiftCards.isEmpty { object["replacedGiftCards"] = .array(replacedGiftCards.map { .string($0) }) }
        object["guest"] = guest.map { .string($0.rawValue) }
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
                "The cart that is stored with the session could not be read.",
                hint:
                    "If another version of the app wrote the cart, run that version. Otherwise end the session. The stored cart was not "
                    + "changed."
            )
        }
        self.cartID = cartID
        self.identity = identity
        fingerprint = value["fingerprint"]?.string.flatMap { Base64URL.decode($0) }
        expiresAt = value["expires"]?.date
        problem = value["problem"]?.string.map(IdentityError.Code.init(rawValue:))
        country = value["country"]?.string
        refusedCountry = value["refusedCountry"]?.string
        countryRefusedAlone = value["countryRefusedAlone"]?.string
        hasEmail = value["email"]?.bool ?? false
        hasPhone = value["phone"]?.bool ?? false
        addressIDs = value["addresses"]?.array?.compactMap(\.string) ?? []
        isAddressRemoved = value["addressRemoved"]?.bool ?? false
        unanswered = value["unanswered"]?["since"]?.date.map {
            Unanswered(since: $0, isIdentity: value["unanswered"]?["identity"]?.bool ?? true)
        }
        buyerIP = value["ip"]?.string
        isUntrusted = value["untrusted"]?.bool ?? false
        companyLocationID = value["location"]?.string
        lines = value["lines"]?.array?.compactMap { CartLineInput($0) }
        if let session = value["reservation"]?["session"].flatMap(SessionID.init),
            let since = value["reservation"]?["since"]?.date
        {
            reservation = (session, since)
        }
        replacedGiftCards = value["replacedGiftCards"]?.array?.compactMap(\.string) ?? []
        guest = value["guest"].flatMap(SessionID.init)
        mergeBase = value["merge"].flatMap { Merge($0) }
        merges = (value["merged"]?.array ?? []).compactMap { Merge($0) }
    }
}

extension CartBinding.Merge {
    fileprivate var json: JSONValue {
        .object([
            "session": .string(session.rawValue), "cart": .string(cartID.rawValue), "lines": CartLineInput.json(lines),
        ])
    }

    fileprivate init?(_ value: JSONValue) {
        guard let session = value["session"].flatMap(SessionID.init),
            let id = value["cart"]?.string.flatMap(CartID.init(rawValue:))
        else { return nil }
        self.init(
            session: session,
            cartID: id,
            lines: (value["lines"]?.array ?? []).compactMap { CartLineInput($0) }
        )
    }
}

extension SessionID {
    fileprivate init?(_ value: JSONValue) {
        guard let text = value.string else { return nil }
        self.init(rawValue: text)
    }
}
