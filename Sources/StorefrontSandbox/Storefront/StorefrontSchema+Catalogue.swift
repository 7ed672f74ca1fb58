extension StorefrontSchema {
    static let catalogueTypes = """
        union Merchandise = ProductVariant
        interface HasMetafields {
          \(metafields)
        }
        interface OnlineStorePublishable { onlineStoreUrl: URL }
        interface Trackable { trackingParameters: String }
        input HasMetafieldsIdentifier { namespace: String key: String! }
        type Metafield implements Node {
          id: ID! namespace: String! key: String! type: String! value: String! description: String
          createdAt: DateTime! updatedAt: DateTime!
        }
        enum CropRegion { BOTTOM CENTER LEFT RIGHT TOP }
        enum ImageContentType { JPG PNG WEBP }
        input ImageTransformInput { crop: CropRegion maxHeight: Int maxWidth: Int preferredContentType: ImageContentType scale: Int = 1 }
        type Image {
          id: ID url(transform: ImageTransformInput): URL! altText: String width: Int height: Int thumbhash: String
        }
        type SEO { title: String description: String }
        enum CountPrecision { AT_LEAST EXACT }
        type Count { count: Int! precision: CountPrecision! }
        type SelectedOption { name: String! value: String! }
        input SelectedOptionInput { name: String! value: String! }
        enum WeightUnit { GRAMS KILOGRAMS OUNCES POUNDS }
        type QuantityRule { increment: Int! maximum: Int minimum: Int! }
        enum UnitPriceMeasurementMeasuredType
        enum UnitPriceMeasurementMeasuredUnit
        type UnitPriceMeasurement {
          measuredType: UnitPriceMeasurementMeasuredType quantityUnit: UnitPriceMeasurementMeasuredUnit quantityValue: Float!
          referenceUnit: UnitPriceMeasurementMeasuredUnit referenceValue: Int!
        }
        type ProductVariant implements HasMetafields & Node {
          id: ID! title: String! sku: String barcode: String availableForSale: Boolean! currentlyNotInStock: Boolean!
          quantityAvailable: Int quantityRule: QuantityRule! price: MoneyV2! compareAtPrice: MoneyV2 unitPrice: MoneyV2
          unitPriceMeasurement: UnitPriceMeasurement requiresShipping: Boolean! requiresComponents: Boolean! taxable: Boolean!
          weight: Float weightUnit: WeightUnit! image: Image product: Product! selectedOptions: [SelectedOption!]!
          \(metafields)
        }
        type ProductPriceRange { minVariantPrice: MoneyV2! maxVariantPrice: MoneyV2! }
        type ProductOption implements Node { id: ID! name: String! optionValues: [ProductOptionValue!]! }
        type ProductOptionValue implements Node { id: ID! name: String! firstSelectableVariant: ProductVariant }
        enum ProductImageSortKeys { CREATED_AT ID POSITION RELEVANCE }
        enum ProductVariantSortKeys { ID POSITION RELEVANCE SKU TITLE }
        type Product implements HasMetafields & Node & OnlineStorePublishable & Trackable {
          id: ID! handle: String! title: String! vendor: String! productType: String! description(truncateAt: Int): String!
          descriptionHtml: HTML! tags: [String!]! availableForSale: Boolean! isGiftCard: Boolean! requiresSellingPlan: Boolean!
          createdAt: DateTime! publishedAt: DateTime! updatedAt: DateTime! onlineStoreUrl: URL trackingParameters: String
          totalInventory: Int variantsCount: Count seo: SEO! featuredImage: Image
          images(\(page) sortKey: ProductImageSortKeys = POSITION): ImageConnection!
          options(first: Int): [ProductOption!]! priceRange: ProductPriceRange! compareAtPriceRange: ProductPriceRange!
          collections(\(page)): CollectionConnection!
          variants(\(page) sortKey: ProductVariantSortKeys = POSITION): ProductVariantConnection!
          selectedOrFirstAvailableVariant(selectedOptions: [SelectedOptionInput!] ignoreUnknownOptions: Boolean = true caseInsensitiveMatch: Boolean = false): ProductVariant
          variantBySelectedOptions(selectedOptions: [SelectedOptionInput!]! ignoreUnknownOptions: Boolean = false caseInsensitiveMatch: Boolean = false): ProductVariant
          \(metafields)
        }
        enum ProductSortKeys { BEST_SELLING CREATED_AT ID PRICE PRODUCT_TYPE RELEVANCE TITLE UPDATED_AT VENDOR }
        enum ProductRecommendationIntent { COMPLEMENTARY RELATED }
        type ProductConnection { nodes: [Product!]! edges: [ProductEdge!]! filters: [Filter!]! pageInfo: PageInfo! }
        enum FilterType { BOOLEAN LIST PRICE_RANGE }
        enum FilterPresentation { IMAGE SWATCH TEXT }
        type Filter { id: String! label: String! presentation: FilterPresentation type: FilterType! values: [FilterValue!]! }
        type FilterValue { id: String! label: String! count: Int! input: JSON! }
        input PriceRangeFilter { min: Float = 0 max: Float }
        input VariantOptionFilter { name: String! value: String! }
        input ProductFilter {
          available: Boolean price: PriceRangeFilter productType: String productVendor: String tag: String
          variantOption: VariantOptionFilter
        }
        enum ProductCollectionSortKeys { BEST_SELLING COLLECTION_DEFAULT CREATED ID MANUAL PRICE RELEVANCE TITLE }
        enum CollectionSortKeys { ID RELEVANCE TITLE UPDATED_AT }
        type Collection implements HasMetafields & Node & OnlineStorePublishable & Trackable {
          id: ID! handle: String! title: String! description(truncateAt: Int): String! descriptionHtml: HTML! image: Image
          onlineStoreUrl: URL trackingParameters: String seo: SEO! updatedAt: DateTime!
          products(\(page) filters: [ProductFilter!] sortKey: ProductCollectionSortKeys = COLLECTION_DEFAULT): ProductConnection!
          \(metafields)
        }
        type CollectionConnection {
          nodes: [Collection!]! edges: [CollectionEdge!]! pageInfo: PageInfo! totalCount: UnsignedInt64!
        }

        """ + searchTypes + shopTypes

    private static let searchTypes = """
        enum SearchPrefixQueryType { LAST NONE }
        enum SearchType { ARTICLE PAGE PRODUCT }
        enum SearchUnavailableProductsType { HIDE LAST SHOW }
        enum SearchSortKeys { PRICE RELEVANCE }
        enum PredictiveSearchType { ARTICLE COLLECTION PAGE PRODUCT QUERY }
        enum PredictiveSearchLimitScope { ALL EACH }
        enum SearchableField { AUTHOR BODY PRODUCT_TYPE TAG TITLE VARIANTS_BARCODE VARIANTS_SKU VARIANTS_TITLE VENDOR }
        union SearchResultItem = Article | Page | Product
        type SearchResultItemConnection {
          nodes: [SearchResultItem!]! edges: [SearchResultItemEdge!]! pageInfo: PageInfo! productFilters: [Filter!]!
          totalCount: Int!
        }
        type PredictiveSearchResult {
          articles: [Article!]! collections: [Collection!]! pages: [Page!]! products: [Product!]!
          queries: [SearchQuerySuggestion!]!
        }
        type SearchQuerySuggestion implements Trackable { text: String! styledText: String! trackingParameters: String }
        type Article implements Node & OnlineStorePublishable & Trackable {
          id: ID! handle: String! title: String! content(truncateAt: Int): String! contentHtml: HTML!
          excerpt(truncateAt: Int): String publishedAt: DateTime! tags: [String!]! image: Image onlineStoreUrl: URL
          trackingParameters: String seo: SEO
        }
        type Page implements HasMetafields & Node & OnlineStorePublishable & Trackable {
          id: ID! handle: String! title: String! body: HTML! bodySummary: String! createdAt: DateTime! updatedAt: DateTime!
          onlineStoreUrl: URL trackingParameters: String seo: SEO
          \(metafields)
        }

        """

    private static let shopTypes = """
        type Shop implements HasMetafields & Node {
          id: ID! name: String! description: String moneyFormat: String! primaryDomain: Domain! paymentSettings: PaymentSettings!
          shipsToCountries: [CountryCode!]! customerAccountUrl: String
          privacyPolicy: ShopPolicy refundPolicy: ShopPolicy shippingPolicy: ShopPolicy termsOfService: ShopPolicy
          subscriptionPolicy: ShopPolicyWithDefault
          \(metafields)
        }
        type ShopPolicy implements Node { id: ID! title: String! handle: String! body: String! url: URL! }
        type ShopPolicyWithDefault { id: ID title: String! handle: String! body: String! url: URL! }
        type Domain { host: String! sslEnabled: Boolean! url: URL! }
        enum CardBrand { AMERICAN_EXPRESS DINERS_CLUB DISCOVER JCB MASTERCARD VISA }
        enum DigitalWallet { ANDROID_PAY APPLE_PAY GOOGLE_PAY SHOPIFY_PAY }
        type PaymentSettings {
          currencyCode: CurrencyCode! countryCode: CountryCode! enabledPresentmentCurrencies: [CurrencyCode!]!
          acceptedCardBrands: [CardBrand!]! cardVaultUrl: URL! shopifyPaymentsAccountId: String
          supportedDigitalWallets: [DigitalWallet!]!
        }
        type Localization {
          country: Country! language: Language! availableCountries: [Country!]! availableLanguages: [Language!]!
        }
        enum UnitSystem { IMPERIAL_SYSTEM METRIC_SYSTEM }
        type Country {
          isoCode: CountryCode! name: String! currency: Currency! unitSystem: UnitSystem! defaultLanguage: Language!
          availableLanguages: [Language!]!
        }
        type Currency { isoCode: CurrencyCode! name: String! symbol: String! }
        type Language { isoCode: LanguageCode! name: String! endonymName: String! }
        type MailingAddress implements Node {
          id: ID! address1: String address2: String city: String company: String country: String countryCodeV2: CountryCode
          firstName: String lastName: String name: String phone: String province: String provinceCode: String zip: String
          formatted(withCompany: Boolean = true withName: Boolean = false): [String!]! formattedArea: String
        }

        """
}
