/// The settings of the sandbox's Storefront API.
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
        /// The stock; nil means no limit.
        public var stock: Int?
        /// The values of the product's options, in their order; by default the title.
        public var values: [String]

        /// Creates a variant.
        public init(
            id: String,
            product: String,
            title: String,
            price: Int,
            stock: Int? = nil,
            values: [String]? = nil
        ) {
            self.id = id
            self.product = product
            self.title = title
            self.price = price
            self.stock = stock
            self.values = values ?? [title]
        }
    }

    /// The data of a product besides its variants; a product without variants does not appear in the shop.
    public struct Product: Sendable, Equatable {
        /// The title, by which variants name their product.
        public var title: String
        /// The product type.
        public var type: String
        /// The description.
        public var text: String
        /// The tags.
        public var tags: [String]
        /// The titles of the product's collections; every product is also in the collection "Everything".
        public var collections: [String]
        /// The names of the product's options.
        public var options: [String]

        /// Creates a product.
        public init(
            title: String,
            type: String = "",
            text: String? = nil,
            tags: [String] = [],
            collections: [String] = [],
            options: [String] = ["Variant"]
        ) {
            self.title = title
            self.type = type
            self.text = text ?? "\(title), from the sandbox."
            self.tags = tags
            self.collections = collections
            self.options = options
        }
    }

    /// The public access token.
    public var publicToken = "5f0e3c1d7a9b42e8a6d4c2b0f1e3d5c7"
    /// The private access token.
    public var privateToken = "shpat_sandbox_9c8b7a6f5e4d3c2b1a0f"
    /// The secret of Multipass tokens for legacy customers.
    public var multipassSecret = "sandbox-multipass-4f1c0a9d7e2b58"
    /// Whether a request with the private token gets a signed-in checkout URL only if the request has the buyer's IP; by default true.
    public var requiresBuyerIP = true
    /// How long a cart's checkout URL opens signed in, by default 10 minutes.
    ///
    /// Shopify's documentation does not state this time for a real shop.
    public var checkoutURLLifetime: Duration = .seconds(600)
    /// The currency of the shop's prices; sample orders of customers are in USD.
    public var currencyCode = "USD"
    /// The variants of the shop; the API refuses the id of a variant that is not in this list.
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
    /// The data of products besides their variants; by default empty.
    ///
    /// A product that is not listed has the single option "Variant". ``wholeShop`` lists two dozen products.
    public var products: [Product] = []
    /// The page to which the checkout links back, usually the app's home page; nil leaves the link out.
    public var returnURL: String?
    /// Company locations that a signed-in buyer may buy for.
    public var companyLocations = ["gid://shopify/CompanyLocation/1"]
    /// Company locations that exist and that no buyer may buy for.
    public var refusedCompanyLocations = ["gid://shopify/CompanyLocation/9"]
    /// Whether a call with the private token and a `customerAccessToken`, but without the buyer's IP, gets 430; by default false.
    public var rejectsIdentityWithoutBuyerIP = false
    /// Whether carts accept Customer Account access tokens besides tokens from `storefrontCustomerAccessTokenCreate`; by default true.
    public var takesCustomerAccountTokens = true
    /// Whether the sandbox serves the operations that Shopify serves to selected apps only: `cartClone`, `cartRemovePersonalData`,
    /// `cartBillingAddressUpdate`, `cartPaymentUpdate`, `cartPrepareForCompletion`, `cartSubmitForCompletion`, `cartCompletionAttempt`.
    ///
    /// By default false, because Shopify's public schemas do not have these operations.
    public var servesRestrictedMutations = false
    /// The number of polls that return "processing" before a completion is done; by default 2.
    public var completionPolls = 2
    /// The pause before the next poll that a "processing" response requests; by default 500 milliseconds.
    public var completionPollDelay: Duration = .milliseconds(500)

    /// A configuration with the defaults.
    public init() {}
}
