public import IdentityKit

/// For whom and where calls are made.
///
/// A client has one for all its calls (``StorefrontClient/context``), and each call may have one of its own, whose members
/// override the client's.
public struct StorefrontContext: Sendable {
    /// The buyer's IP address, as the app learnt it from a source that it trusts.
    ///
    /// Sent with a private token. Without it Shopify throttles the whole server as one buyer, may take it for an attacker
    /// (HTTP 430), and opens the checkout signed out. A header such as `X-Forwarded-For` counts only when the app's own
    /// proxy has written it: a forged one lets a client choose any address.
    public var buyerIP: String?
    /// The buyer's country, ISO 3166-1 alpha-2 in capitals; decides currency and prices.
    public var country: String?
    /// The language of texts, a `LanguageCode` such as `EN` or `PT_BR`.
    public var language: String?
    /// The store location that matters for pick-up, a global id.
    public var preferredLocationID: String?
    /// The signed-in buyer in whose name a query of your own is contextualised; answers are personal then, and never cached.
    public var buyer: CustomerAccessToken?
    /// The company location for which a B2B ``buyer`` buys, a global id; without a buyer it is not sent.
    public var buyerCompanyLocationID: String?
    /// What the visitor agreed to.
    public var visitorConsent: VisitorConsent?
    /// The session for which alone a cache may keep the answer; when it ends, `CachePurging` removes it.
    public var session: SessionID?

    /// Describes calls; everything may be missing.
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

    /// This context with whatever the other one sets in place of its own; the company location goes with the buyer.
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

    /// What is set, as variables `country`, `language`, `preferredLocationId`, `buyer` and `visitorConsent` for an `@inContext`
    /// directive.
    ///
    /// Holds the buyer's token where there is one: for a request's variables only.
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
        if let visitorConsent { variables["visitorConsent"] = .object(visitorConsent.object) }
        return variables
    }

    /// Whether the address is made of what addresses are made of; anything else never becomes a header.
    package static func isAddress(_ text: String) -> Bool {
        (2...45).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
                    UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "."), UInt8(ascii: ":"):
                    true
                default: false
                }
            }
            && (text.utf8.contains(UInt8(ascii: ".")) || text.utf8.contains(UInt8(ascii: ":")))
    }
}
