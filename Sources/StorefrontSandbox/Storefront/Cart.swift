internal import FoundationEssentials
internal import IdentityKit
internal import IdentitySandbox

struct CartWarning: Sendable {
    let code: String
    let message: String
    let target: String
}

struct Cart: Sendable {
    struct Line: Sendable {
        var id: String
        var variant: SandboxStorefrontConfiguration.Variant
        var quantity: Int
        var attributes: [JSONValue]
        var sellingPlanID: String?
        /// The variant or line that this line belongs to.
        var parent: JSONValue?
    }

    struct Metafield: Sendable {
        let key: String
        let type: String
        let value: String
        let updatedAt: Date

        init(_ input: JSONValue, at now: Date) {
            key = input["key"]?.string ?? ""
            type = input["type"]?.string ?? ""
            value = input["value"]?.string ?? ""
            updatedAt = now
        }
    }

    struct Identity: Sendable {
        var accessToken: String?
        var customer: KnownBuyer?
        var email: String?
        var phone: String?
        var countryCode: String?
        var companyLocationID: String?
        var wallets: [JSONValue]?
    }

    struct Address: Sendable {
        let id: String
        var fields: JSONObject
        var isSelected: Bool
        var isOneTimeUse: Bool
    }

    struct GiftCard: Sendable {
        let id: String
        let code: String
    }

    var token: String
    /// The secret in the cart's id.
    var key: String
    /// The secret in the checkout URL.
    let checkoutKey: String
    let createdAt: Date
    var updatedAt: Date
    var lines: [Line] = [] {
        // Changed lines need a new `cartPrepareForCompletion`, because the last call checked other lines.
        didSet { completion.isPrepared = false }
    }
    var attributes: [JSONValue] = []
    var note: String?
    var discountCodes: [String] = []
    var giftCards: [GiftCard] = []
    var identity = Identity()
    var addresses: [Address] = []
    var deliveryOption: String?
    var billingAddress: JSONObject?
    var metafields: [String: Metafield] = [:]
    var completion = CartCompletion()
    /// The warnings of the last change.
    var warnings: [CartWarning] = []
    private var lastNumber = 0

    init(at now: Date) {
        token = "hWN" + RandomText.hexadecimal(29)
        key = RandomText.hexadecimal(32)
        checkoutKey = RandomText.hexadecimal(32)
        createdAt = now
        updatedAt = now
    }

    var id: String { Self.id(token: token, key: key) }

    static func id(token: String, key: String?) -> String {
        "gid://shopify/Cart/\(token)" + (key.map { "?key=\($0)" } ?? "")
    }

    static func parse(_ id: String) -> (token: String, key: String?)? {
        let prefix = "gid://shopify/Cart/"
        guard id.hasPrefix(prefix) else { return nil }
        let parts = id.dropFirst(prefix.count).split(separator: "?", maxSplits: 1)
        guard let token = parts.first else { return nil }
        let query = parts.count == 2 ? FormText.decode(Array(parts[1].utf8)) : nil
        return (String(token), query?.first { $0.name == "key" }?.value)
    }

    mutating func nextID(_ type: String) -> String {
        lastNumber += 1
        return "gid://shopify/\(type)/\(token)-\(lastNumber)?cart=\(token)"
    }

    var totalQuantity: Int { lines.reduce(0) { $0 + $1.quantity } }
    var subtotal: Int { lines.reduce(0) { $0 + $1.variant.price * $1.quantity } }
    var total: Int { subtotal - (discount?.amount ?? 0) }

    /// The discount: 10 percent of the whole order with the code ``workingDiscount``, otherwise nil.
    var discount: (code: String, amount: Int)? {
        discountCodes.first { $0.uppercased() == Self.workingDiscount }.map { ($0, subtotal / 10) }
    }

    /// Returns the part of the discount that belongs to a line; the parts of all lines add up to the discount.
    func discountShare(ofLine id: String) -> Int {
        guard let amount = discount?.amount, subtotal > 0, let index = lines.firstIndex(where: { $0.id == id }) else {
            return 0
        }
        let before = lines[..<index].reduce(0) { $0 + $1.variant.price * $1.quantity }
        let after = before + lines[index].variant.price * lines[index].quantity
        return amount * after / subtotal - amount * before / subtotal
    }

    static let workingDiscount = "SANDBOX10"
    /// A discount code that is applicable only to a cart with a customer.
    static let membersDiscount = "MEMBERS"

    func isApplicable(_ code: String) -> Bool {
        code.uppercased() == Self.workingDiscount
            || code.uppercased() == Self.membersDiscount && identity.customer != nil
    }
}
