public import IdentityKit

/// The settings of a ``Sandbox``; each has a default.
public struct SandboxConfiguration: Sendable {
    /// The sandbox's clock, for expiries and the time claims of tokens.
    ///
    /// By default the system's clock. Pass a test's manual clock so that the sandbox and the SDK have the same time.
    public var clock: any IdentityClock = SystemClock()
    /// The lifetime of access tokens; by default 3600 seconds.
    public var accessTokenLifetime: Duration = .seconds(3600)
    /// The lifetime of authorization codes; by default 300 seconds.
    public var authorizationCodeLifetime: Duration = .seconds(300)
    /// What Shopify, Bolt and the OpenID provider do with a used refresh token; by default, they revoke all tokens of its login.
    public var tokenReuse = SandboxTokenReuse.revokes
    /// The sandbox calls this closure for each request, on any thread, before it sends the response.
    ///
    /// `status` is nil if a fault resets the connection or sends raw bytes instead of an HTTP response.
    /// A request contains tokens and secrets: print only the method and the path.
    public var onResponse: (@Sendable (_ request: SandboxRequest, _ status: Int?) -> Void)?
    /// The buyers that exist at the start; the first login with an unknown e-mail address creates a buyer.
    public var buyers: [SandboxBuyerAccount] = [.ada]
    /// The settings of the simulated Shopify Customer Accounts.
    public var shopify = SandboxShopifyConfiguration()
    /// The settings of the simulated Bolt.
    public var bolt = SandboxBoltConfiguration()
    /// The settings of the simulated Salesforce Commerce Cloud, which uses Bolt.
    public var sfcc = SandboxSFCCConfiguration()
    /// The settings of the plain OpenID provider.
    public var openID = SandboxOpenIDConfiguration()

    /// A configuration with the defaults.
    public init() {}
}

/// A person who can log in at the sandbox.
public struct SandboxBuyerAccount: Sendable, Equatable {
    /// A postal address.
    public struct Address: Sendable, Equatable {
        /// The first and the second line of the street address.
        public var street1: String, street2: String
        /// The city.
        public var city: String
        /// The state's name and its ISO code.
        public var region: String, regionCode: String
        /// The postal code.
        public var postalCode: String
        /// The country's ISO 3166-1 alpha-2 code, for example `US`.
        public var countryCode: String

        /// Creates an address.
        public init(
            street1: String,
            street2: String = "",
            city: String,
            region: String,
            regionCode: String,
            postalCode: String,
            countryCode: String
        ) {
            self.street1 = street1
            self.street2 = street2
            self.city = city
            self.region = region
            self.regionCode = regionCode
            self.postalCode = postalCode
            self.countryCode = countryCode
        }
    }

    /// The e-mail address, by which the buyer logs in.
    public var email: String
    /// Whether the providers report the e-mail address as verified.
    public var emailVerified: Bool
    /// The given and the family name.
    public var firstName: String, lastName: String
    /// The telephone number in E.164 form; empty for a buyer without a telephone number.
    public var phone: String
    /// The addresses; the first is the default one.
    public var addresses: [Address]

    /// Creates a buyer.
    public init(
        email: String,
        emailVerified: Bool = true,
        firstName: String,
        lastName: String,
        phone: String = "",
        addresses: [Address] = []
    ) {
        self.email = email
        self.emailVerified = emailVerified
        self.firstName = firstName
        self.lastName = lastName
        self.phone = phone
        self.addresses = addresses
    }

    /// The default buyer.
    public static let ada = SandboxBuyerAccount(
        email: "ada@example.com",
        firstName: "Ada",
        lastName: "Lovelace",
        phone: "+14155550123",
        addresses: [
            Address(
                street1: "1 Analytical Way",
                street2: "Suite 12",
                city: "San Francisco",
                region: "California",
                regionCode: "CA",
                postalCode: "94107",
                countryCode: "US"
            )
        ]
    )
}
