internal import GraphQLLanguage
internal import IdentitySandbox

/// The schema of the sandbox's Storefront API, with the part of Shopify's API that carts and small catalogues need.
enum StorefrontSchema {
    /// The schemas by version, read once per process; `unstable` has the schema of the newest version.
    static let schemas = schemas(restricted: false)
    /// The schemas with the operations that Shopify serves to selected apps only, by version.
    static let restrictedSchemas = schemas(restricted: true)

    private static func schemas(restricted: Bool) -> [String: GraphSchema] {
        (ShopifyVersions.supported + ["unstable"]).reduce(into: [:]) { schemas, version in
            schemas[version] = try? GraphSchema(definition: definition(version: version, restricted: restricted))
        }
    }

    static func definition(version: String, restricted: Bool) -> String {
        // Every shop of the sandbox has legacy customer accounts too. At Shopify, a shop has them until it migrates to new accounts.
        var newest = roots + codes + "\n" + cart + inputs + catalogueTypes + connectionTypes + legacyTypes
        if restricted {
            newest = newest.replacing("type Mutation {", with: "type Mutation {" + restrictedMutations)
                .replacing("type QueryRoot {", with: "type QueryRoot {" + restrictedQueries)
            newest += restrictedTypes
        }
        guard version < "2026-07" else { return newest }
        return addedIn202607.reduce(newest) { text, change in text.replacing(change.new, with: change.old) }
    }

    /// The texts of the schema that version 2026-07 changed, with the texts of older versions.
    private static let addedIn202607: [(new: String, old: String)] = [
        ("id: ID viewKey: String", "id: ID!"), (" viewKey: String", ""), (" sourceName: String", ""),
        ("lineIds: [ID!] viewKeys: [String!]", "lineIds: [ID!]!"), ("(lineLevelOnly: Boolean = true)", ""),
    ]

    private static let roots = """
        directive @inContext(
          country: CountryCode language: LanguageCode preferredLocationId: ID buyer: BuyerInput visitorConsent: VisitorConsent
        ) on QUERY | MUTATION
        directive @defer(if: Boolean label: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT
        scalar DateTime
        scalar Decimal
        scalar URL
        scalar HTML
        scalar JSON
        scalar UnsignedInt64
        enum CartErrorCode
        enum CartWarningCode
        interface Node { id: ID! }
        interface DisplayableError { field: [String!] message: String! }
        type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }
        type MoneyV2 { amount: Decimal! currencyCode: CurrencyCode! }
        type ApiVersion { displayName: String! handle: String! supported: Boolean! }
        type QueryRoot {
          \(legacyQueries)
          cart(id: ID!): Cart
          node(id: ID!): Node
          nodes(ids: [ID!]!): [Node]!
          product(id: ID handle: String): Product
          products(\(page) query: String sortKey: ProductSortKeys = ID): ProductConnection!
          productByHandle(handle: String!): Product
          productRecommendations(productId: ID productHandle: String intent: ProductRecommendationIntent = RELATED): [Product!]
          productTags(first: Int!): StringConnection!
          productTypes(first: Int!): StringConnection!
          collection(id: ID handle: String): Collection
          collectionByHandle(handle: String!): Collection
          collections(\(page) query: String sortKey: CollectionSortKeys = ID): CollectionConnection!
          search(\(page) query: String! prefix: SearchPrefixQueryType productFilters: [ProductFilter!] sortKey: SearchSortKeys = RELEVANCE types: [SearchType!] unavailableProducts: SearchUnavailableProductsType): SearchResultItemConnection!
          predictiveSearch(query: String! limit: Int limitScope: PredictiveSearchLimitScope searchableFields: [SearchableField!] types: [PredictiveSearchType!] unavailableProducts: SearchUnavailableProductsType): PredictiveSearchResult
          paymentSettings: PaymentSettings!
          shop: Shop!
          localization: Localization!
          publicApiVersions: [ApiVersion!]!
        }
        type Mutation {
          \(legacyMutations)
          cartCreate(input: CartInput): CartCreatePayload
          cartLinesAdd(cartId: ID! lines: [CartLineInput!]!): CartLinesAddPayload
          cartLinesUpdate(cartId: ID! lines: [CartLineUpdateInput!]!): CartLinesUpdatePayload
          cartLinesRemove(cartId: ID! lineIds: [ID!] viewKeys: [String!]): CartLinesRemovePayload
          cartBuyerIdentityUpdate(cartId: ID! buyerIdentity: CartBuyerIdentityInput!): CartBuyerIdentityUpdatePayload
          cartAttributesUpdate(cartId: ID! attributes: [AttributeInput!]!): CartAttributesUpdatePayload
          cartNoteUpdate(cartId: ID! note: String!): CartNoteUpdatePayload
          cartDiscountCodesUpdate(cartId: ID! discountCodes: [String!]!): CartDiscountCodesUpdatePayload
          cartGiftCardCodesAdd(cartId: ID! giftCardCodes: [String!]!): CartGiftCardCodesAddPayload
          cartGiftCardCodesUpdate(cartId: ID! giftCardCodes: [String!]!): CartGiftCardCodesUpdatePayload
          cartGiftCardCodesRemove(cartId: ID! appliedGiftCardIds: [ID!]!): CartGiftCardCodesRemovePayload
          cartDeliveryAddressesAdd(cartId: ID! addresses: [CartSelectableAddressInput!]!): CartDeliveryAddressesAddPayload
          cartDeliveryAddressesReplace(cartId: ID! addresses: [CartSelectableAddressInput!]!): CartDeliveryAddressesReplacePayload
          cartDeliveryAddressesUpdate(cartId: ID! addresses: [CartSelectableAddressUpdateInput!]!): CartDeliveryAddressesUpdatePayload
          cartDeliveryAddressesRemove(cartId: ID! addressIds: [ID!]!): CartDeliveryAddressesRemovePayload
          cartSelectedDeliveryOptionsUpdate(cartId: ID! selectedDeliveryOptions: [CartSelectedDeliveryOptionInput!]!): CartSelectedDeliveryOptionsUpdatePayload
          cartMetafieldsSet(metafields: [CartMetafieldsSetInput!]!): CartMetafieldsSetPayload
          cartMetafieldDelete(input: CartMetafieldDeleteInput!): CartMetafieldDeletePayload
        }
        enum MetafieldsSetUserErrorCode
        enum MetafieldDeleteErrorCode
        input CartMetafieldsSetInput { ownerId: ID! key: String! type: String! value: String! }
        input CartMetafieldDeleteInput { ownerId: ID! key: String! }
        type CartMetafieldsSetPayload { metafields: [Metafield!] userErrors: [MetafieldsSetUserError!]! }
        type MetafieldsSetUserError implements DisplayableError {
          code: MetafieldsSetUserErrorCode elementIndex: Int field: [String!] message: String!
        }
        type CartMetafieldDeletePayload { deletedId: ID userErrors: [MetafieldDeleteUserError!]! }
        type MetafieldDeleteUserError implements DisplayableError {
          code: MetafieldDeleteErrorCode field: [String!] message: String!
        }

        """
        + cartPayloads([
            "CartCreate", "CartLinesAdd", "CartLinesUpdate", "CartLinesRemove", "CartBuyerIdentityUpdate",
            "CartAttributesUpdate", "CartNoteUpdate", "CartDiscountCodesUpdate", "CartGiftCardCodesAdd",
            "CartGiftCardCodesUpdate", "CartGiftCardCodesRemove", "CartDeliveryAddressesAdd",
            "CartDeliveryAddressesReplace", "CartDeliveryAddressesUpdate", "CartDeliveryAddressesRemove",
            "CartSelectedDeliveryOptionsUpdate",
        ])

    static func cartPayloads(_ mutations: [String]) -> String {
        payloads(mutations, "cart: Cart userErrors: [CartUserError!]! warnings: [CartWarning!]!")
    }

    static func payloads(_ mutations: [String], _ fields: String) -> String {
        mutations.map { "type \($0)Payload { \(fields) }\n" }.joined()
    }

    private static let connectionTypes = connections(
        ["BaseCartLine", "CartDeliveryGroup", "Image", "MailingAddress", "ProductVariant", "String"],
        edgesOf: ["Collection", "Order", "Product", "SearchResultItem"]
    )

    /// Returns the connection types of `nodes`, and the edge types of `nodes` and `others`.
    ///
    /// The connections of `others` have more fields, so other parts of the schema define them.
    static func connections(_ nodes: [String], edgesOf others: [String] = []) -> String {
        nodes.map { "type \($0)Connection { nodes: [\($0)!]! edges: [\($0)Edge!]! pageInfo: PageInfo! }\n" }.joined()
            + (nodes + others).map { "type \($0)Edge { cursor: String! node: \($0)! }\n" }.joined()
    }

    /// The arguments of a connection.
    static let page = "first: Int after: String last: Int before: String reverse: Boolean = false"

    /// The fields of `HasMetafields`.
    static let metafields = """
        metafield(key: String! namespace: String): Metafield
        metafields(identifiers: [HasMetafieldsIdentifier!]!): [Metafield]!
        """

    /// The fields of `BaseCartLine`.
    private static let lineFields = """
        discountAllocations(lineLevelOnly: Boolean = true): [CartDiscountAllocation!]!
        id: ID! quantity: Int! merchandise: Merchandise! attribute(key: String!): Attribute attributes: [Attribute!]!
        cost: CartLineCost! sellingPlanAllocation: SellingPlanAllocation viewKey: String
        """

    private static let cart = """
        type CartUserError implements DisplayableError { code: CartErrorCode field: [String!] message: String! }
        type CartWarning { code: CartWarningCode! message: String! target: ID! }
        type Attribute { key: String! value: String }
        type Cart implements HasMetafields & Node {
          \(metafields)
          discountAllocations: [CartDiscountAllocation!]!
          id: ID! checkoutUrl: URL! createdAt: DateTime! updatedAt: DateTime! note: String totalQuantity: Int!
          attribute(key: String!): Attribute attributes: [Attribute!]!
          buyerIdentity: CartBuyerIdentity! cost: CartCost! delivery: CartDelivery!
          deliveryGroups(\(page) withCarrierRates: Boolean = false): CartDeliveryGroupConnection!
          discountCodes: [CartDiscountCode!]! appliedGiftCards: [AppliedGiftCard!]!
          lines(\(page)): BaseCartLineConnection!
        }
        type CartBuyerIdentity {
          countryCode: CountryCode customer: Customer email: String phone: String
          purchasingCompany: PurchasingCompany preferences: CartPreferences
        }
        type CartPreferences { wallet: [String!] }
        type PurchasingCompany { company: Company! contact: CompanyContact location: CompanyLocation! }
        type Company implements Node { id: ID! name: String! }
        type CompanyContact implements Node { id: ID! title: String }
        type CompanyLocation implements Node { id: ID! name: String! }
        type Customer implements HasMetafields {
          id: ID! firstName: String lastName: String displayName: String! email: String phone: String tags: [String!]!
          \(legacyCustomerFields)
        }
        type CartCost {
          subtotalAmount: MoneyV2! subtotalAmountEstimated: Boolean! totalAmount: MoneyV2! totalAmountEstimated: Boolean!
          checkoutChargeAmount: MoneyV2! totalTaxAmount: MoneyV2 totalDutyAmount: MoneyV2
        }
        type CartLineCost { amountPerQuantity: MoneyV2! compareAtAmountPerQuantity: MoneyV2 subtotalAmount: MoneyV2! totalAmount: MoneyV2! }
        enum DiscountApplicationTargetType { LINE_ITEM SHIPPING_LINE }
        interface CartDiscountAllocation { discountedAmount: MoneyV2! targetType: DiscountApplicationTargetType! }
        type CartCodeDiscountAllocation implements CartDiscountAllocation {
          code: String! discountedAmount: MoneyV2! targetType: DiscountApplicationTargetType!
        }
        type CartAutomaticDiscountAllocation implements CartDiscountAllocation {
          title: String! discountedAmount: MoneyV2! targetType: DiscountApplicationTargetType!
        }
        type CartLineInstructions { canRemove: Boolean! canUpdateQuantity: Boolean! }
        type CartDiscountCode { code: String! applicable: Boolean! }
        type AppliedGiftCard implements Node { id: ID! lastCharacters: String! amountUsed: MoneyV2! balance: MoneyV2! presentmentAmountUsed: MoneyV2! }
        interface BaseCartLine implements Node { \(lineFields) }
        type CartLine implements BaseCartLine & Node {
          \(lineFields)
          parentRelationship: CartLineParentRelationship instructions: CartLineInstructions!
        }
        type ComponentizableCartLine implements BaseCartLine & Node { \(lineFields) lineComponents: [CartLine!]! }
        type CartLineParentRelationship { parent: CartLine! }
        type SellingPlanAllocation { sellingPlan: SellingPlan! }
        type SellingPlan { id: ID! name: String! }
        type CartDelivery { addresses(selected: Boolean = false): [CartSelectableAddress!]! }
        type CartSelectableAddress { id: ID! selected: Boolean! oneTimeUse: Boolean! address: CartAddress! }
        union CartAddress = CartDeliveryAddress
        type CartDeliveryAddress {
          address1: String address2: String city: String company: String countryCode: String firstName: String
          lastName: String name: String phone: String provinceCode: String zip: String latitude: Float longitude: Float
          formatted(withCompany: Boolean = true withName: Boolean = false): [String!]! formattedArea: String
        }
        enum CartDeliveryGroupType { ONE_TIME_PURCHASE SUBSCRIPTION }
        enum DeliveryMethodType { LOCAL NONE PICKUP_POINT PICK_UP RETAIL SHIPPING }
        type CartDeliveryGroup {
          id: ID! groupType: CartDeliveryGroupType! deliveryOptions: [CartDeliveryOption!]!
          selectedDeliveryOption: CartDeliveryOption deliveryAddress: MailingAddress!
          cartLines(\(page)): BaseCartLineConnection!
        }
        type CartDeliveryOption {
          handle: String! title: String code: String description: String estimatedCost: MoneyV2!
          deliveryMethodType: DeliveryMethodType!
        }

        """

    private static let inputs = """
        enum DeliveryAddressValidationStrategy { COUNTRY_CODE_ONLY STRICT }
        enum PreferenceDeliveryMethodType { PICKUP_POINT PICK_UP SHIPPING }
        input AttributeInput { key: String! value: String! }
        input BuyerInput { customerAccessToken: String! companyLocationId: ID }
        input VisitorConsent { analytics: Boolean marketing: Boolean preferences: Boolean saleOfData: Boolean }
        input CartInput {
          attributes: [AttributeInput!] buyerIdentity: CartBuyerIdentityInput delivery: CartDeliveryInput
          discountCodes: [String!] giftCardCodes: [String!] lines: [CartLineInput!] metafields: [CartInputMetafieldInput!]
          note: String sourceName: String
        }
        input CartInputMetafieldInput { key: String! type: String! value: String! }
        input CartLineInput {
          merchandiseId: ID! quantity: Int = 1 attributes: [AttributeInput!] sellingPlanId: ID parent: CartLineParentInput
        }
        input CartLineParentInput { lineId: ID merchandiseId: ID }
        input CartLineUpdateInput {
          id: ID viewKey: String merchandiseId: ID quantity: Int attributes: [AttributeInput!] sellingPlanId: ID
        }
        input CartBuyerIdentityInput {
          customerAccessToken: String email: String phone: String countryCode: CountryCode companyLocationId: ID
          preferences: CartPreferencesInput
        }
        input CartPreferencesInput { delivery: CartDeliveryPreferenceInput wallet: [String!] }
        input CartDeliveryPreferenceInput {
          deliveryMethod: [PreferenceDeliveryMethodType!] pickupHandle: [String!]
          coordinates: CartDeliveryCoordinatesPreferenceInput
        }
        input CartDeliveryCoordinatesPreferenceInput { countryCode: CountryCode! latitude: Float! longitude: Float! }
        input CartDeliveryInput { addresses: [CartSelectableAddressInput!] }
        input CartSelectableAddressInput {
          address: CartAddressInput! selected: Boolean oneTimeUse: Boolean
          validationStrategy: DeliveryAddressValidationStrategy = COUNTRY_CODE_ONLY
        }
        input CartSelectableAddressUpdateInput {
          id: ID! address: CartAddressInput selected: Boolean oneTimeUse: Boolean
          validationStrategy: DeliveryAddressValidationStrategy = COUNTRY_CODE_ONLY
        }
        input CartAddressInput { deliveryAddress: CartDeliveryAddressInput copyFromCustomerAddressId: ID }
        input CartDeliveryAddressInput {
          address1: String address2: String city: String company: String countryCode: CountryCode firstName: String
          lastName: String phone: String provinceCode: String zip: String
        }
        input CartSelectedDeliveryOptionInput { deliveryGroupId: ID! deliveryOptionHandle: String! }

        """
}
