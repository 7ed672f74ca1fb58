/// How the sandbox's Storefront API is set up.
public struct SandboxStorefrontConfiguration: Sendable {
    /// A variant that can be put into a cart.
    public struct Variant: Sendable, Equatable {
        /// The variant's global id.
        public var id: String
        /// The product's title.
        public var product: String
        /// The variant's title.
        public var title: String
        /// The price in hundredths of the currency unit.
        public var price: Int
        /// How many there are; nil for any number.
        public var stock: Int?

        /// Makes a variant.
        public init(id: String, product: String, title: String, price: Int, stock: Int? = nil) {
            self.id = id
            self.product = product
            self.title = title
            self.price = price
            self.stock = stock
        }
    }

    /// The public access token.
    public var publicToken = "5f0e3c1d7a9b42e8a6d4c2b0f1e3d5c7"
    /// The private access token.
    public var privateToken = "shpat_sandbox_9c8b7a6f5e4d3c2b1a0f"
    /// The secret of Multipass tokens for legacy customers.
    public var multipassSecret = "sandbox-multipass-4f1c0a9d7e2b58"
    /// Whether a checkout opens signed in only if a request with the private token named the buyer's IP, as at Shopify.
    public var requiresBuyerIP = true
    /// How long a cart's checkout URL stays signed in; undocumented, 10 minutes unless given.
    public var checkoutURLLifetime: Duration = .seconds(600)
    /// The currency of all prices.
    public var currencyCode = "USD"
    /// The variants of the shop.
    ///
    /// Ids of variants that are not listed are refused.
    public var variants: [Variant] = [
        Variant(id: "gid://shopify/ProductVariant/1", product: "Analytical Mug", title: "Blue", price: 1250),
        Variant(id: "gid://shopify/ProductVariant/2", product: "Difference T-Shirt", title: "M", price: 2400),
        Variant(
            id: "gid://shopify/ProductVariant/3",
            product: "Punched Card",
            title: "Last ones",
            price: 199,
            stock: 3
        ),
    ]
    /// Company locations that a signed-in buyer may buy for.
    public var companyLocations = ["gid://shopify/CompanyLocation/1"]
    /// Company locations that exist and that no buyer may buy for.
    public var refusedCompanyLocations = ["gid://shopify/CompanyLocation/9"]
    /// Whether a private token without the buyer's IP is answered 430 when a call carries a customer access token.
    public var rejectsIdentityWithoutBuyerIP = false
    /// Whether carts take Customer Account access tokens; otherwise only what `storefrontCustomerAccessTokenCreate` gives for them.
    public var takesCustomerAccountTokens = true
    /// Whether the mutations are served that Shopify serves to chosen apps only: `cartClone`, `cartRemovePersonalData`,
    /// `cartBillingAddressUpdate`, `cartPaymentUpdate`, `cartPrepareForCompletion`, `cartSubmitForCompletion`.
    ///
    /// No unless set, as in the public schemas.
    public var servesRestrictedMutations = false
    /// How often a completion is still processing before it is done.
    public var completionPolls = 2
    /// The pause that a pending completion asks for before the next poll.
    public var completionPollDelay: Duration = .milliseconds(500)

    /// A configuration with the defaults.
    public init() {}
}
