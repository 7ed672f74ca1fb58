internal import IdentityHTTP
public import IdentityKit

/// The buyer, country and language of calls.
///
/// A client has one context for all its calls (``StorefrontClient/context``). A call can have its own context, whose members override
/// those of the client's context.
///
/// An operation sends those of the ``variables`` that its document declares. For the other variables, the client reports the event
/// `GraphQLEvent.Kind.contextNotSent`, once for each document and list of variables.
///
/// ```swift
/// let context = StorefrontContext(buyerIP: ip, country: "CA", language: "FR")
/// let shop = try await storefront.execute(ShopInfo(), in: context).data
/// ```
public struct StorefrontContext: Sendable {
    /// The buyer's IP address, from a source that the app trusts.
    ///
    /// It is sent only with a private token. If it is missing, Shopify throttles the whole server as one buyer, may reject its requests
    /// as an attack (HTTP 430), and opens the checkout signed out. Use a header such as `X-Forwarded-For` only if the app's own proxy has
    /// written it, because a client can forge it.
    public var buyerIP: String?
    /// The buyer's country, ISO 3166-1 alpha-2 in capitals; it decides currency and prices.
    public var country: String?
    /// The language of texts, a `LanguageCode` such as `EN` or `PT_BR`.
    public var language: String?
    /// The preferred store location for pick-up, a global id.
    public var preferredLocationID: String?
    /// The signed-in buyer, which an operation sends only if its document declares the variable `buyer`.
    ///
    /// No response to a call with a buyer is cached.
    public var buyer: CustomerAccessToken?
    /// The company location of a B2B ``buyer``, a global id; without a buyer it is not sent.
    public var buyerCompanyLocationID: String?
    /// The visitor's consent to data collection.
    ///
    /// It is sent with every cart operation, and Shopify encodes it in the checkout URL. It is not stored: pass it with each call, in
    /// particular with ``CartAdapter/checkout(for:in:options:)``.
    public var visitorConsent: VisitorConsent?
    /// The session to which cached responses belong; no other session gets these responses from the cache.
    ///
    /// `CachePurging` removes the responses when the session ends.
    public var session: SessionID?

    /// Creates a context; all members are optional.
    public init(
        buyerIP: String? = nil,
        country: String? = nil,
        language: String? = nil,
        preferredLocationID: String? = nil,
        buyer: CustomerAccessToken? = nil,
        buyerCompanyLocationID: String? = nil,
        visitorConsent: VisitorConsent? = nil,
        session: SessionID? = nil
    ) {
        self.buyerIP = buyerIP
        self.country = country
        self.language = language
        self.preferredLocationID = preferredLocationID
        self.buyer = buyer
        self.buyerCompanyLocationID = buyerCompanyLocationID
        self.visitorConsent = visitorConsent
        self.session = session
    }

    /// Returns a copy of this context, in which the members that `other` sets have the values of `other`.
    ///
    /// If `other` sets ``buyer``, the copy also has the ``buyerCompanyLocationID`` of `other`, even if this location is nil, because the
    /// location belongs to the buyer.
    public func overridden(by other: StorefrontContext) -> StorefrontContext {
        StorefrontContext(
            buyerIP: other.buyerIP ?? buyerIP,
            country: other.country ?? country,
            language: other.language ?? language,
            preferredLocationID: other.preferredLocationID ?? preferredLocationID,
            buyer: other.buyer ?? buyer,
            buyerCompanyLocationID: other.buyer == nil
                ? other.buyerCompanyLocationID ?? buyerCompanyLocationID : other.buyerCompanyLocationID,
            visitorConsent: other.visitorConsent ?? visitorConsent,
            session: other.session ?? session
        )
    }

    /// The set members as variables `country`, `language`, `preferredLocationId`, `buyer` and `visitorConsent` for an `@inContext`
    /// directive.
    ///
    /// The variables can contain the buyer's token: use them only for a request.
    public var variables: JSONObject {
        var variables = JSONObject()
        if let country { variables["country"] = .string(country) }
        if let language { variables["language"] = .string(language) }
        if let preferredLocationID { variables["preferredLocationId"] = .string(preferredLocationID) }
        if let buyer {
            var input: JSONObject = ["customerAccessToken": .string(buyer.token.reveal())]
            if let buyerCompanyLocationID { input["companyLocationId"] = .string(buyerCompanyLocationID) }
            variables["buyer"] = .object(input)
        }
        if let visitorConsent { variables["visitorConsent"] = visitorConsent.graphQLValue }
        return variables
    }

    /// Whether the text can be an IP address: 2 to 45 hexadecimal digits, dots and colons, with at least one dot or colon.
    package static func isAddress(_ text: String) -> Bool {
        (2...45).contains(text.utf8.count)
            && text.utf8.allSatisfy { ASCII.hexValue($0) != nil || ".:".utf8.contains($0) }
            && (text.utf8.contains(UInt8(ascii: ".")) || text.utf8.contains(UInt8(ascii: ":")))
    }
}
