internal import IdentityKit
internal import IdentitySandbox

extension Cart {
    /// Changes the buyer identity: a member that `input` does not contain keeps its value, and a null clears the value.
    ///
    /// `preferences` replaces all wallets. If one member is invalid, the identity stays unchanged.
    mutating func updateIdentity(_ input: JSONObject, _ shop: SandboxStorefront, field: [String]) throws(UserError) {
        var changed = identity
        if let value = input["customerAccessToken"] {
            let isSwallowed = value.string != nil && shop.swallowsToken()
            changed.accessToken = isSwallowed ? nil : value.string
            changed.customer = isSwallowed ? nil : value.string.flatMap(shop.customer(forToken:))
            if value.string != nil, !isSwallowed, changed.customer == nil {
                throw UserError("INVALID", at: field + ["customerAccessToken"], "Customer is invalid")
            }
        }
        if let value = input["email"] {
            if let email = value.string, !Self.isEmail(email) {
                throw UserError("INVALID", at: field + ["email"], "Email is invalid")
            }
            changed.email = value.string
        }
        if let value = input["phone"] {
            if let phone = value.string, !Self.isPhone(phone) {
                throw UserError("INVALID", at: field + ["phone"], "Phone is invalid")
            }
            changed.phone = value.string
        }
        if let value = input["countryCode"] { changed.countryCode = value.string }
        if let value = input["companyLocationId"] {
            if let location = value.string { try Self.check(location, changed, shop, field) }
            changed.companyLocationID = value.string
        }
        if let value = input["preferences"] { changed.wallets = value["wallet"]?.array }
        identity = changed
    }

    private static func check(
        _ location: String,
        _ identity: Identity,
        _ shop: SandboxStorefront,
        _ field: [String]
    ) throws(UserError) {
        guard identity.customer != nil else {
            let place = field + ["customerAccessToken"]
            throw UserError("MISSING_CUSTOMER_ACCESS_TOKEN", at: place, "A customer access token is required.")
        }
        let place = field + ["companyLocationId"]
        guard !shop.configuration.refusedCompanyLocations.contains(location) else {
            let message = "Buyer cannot purchase for company location."
            throw UserError("BUYER_CANNOT_PURCHASE_FOR_COMPANY_LOCATION", at: place, message)
        }
        guard shop.configuration.companyLocations.contains(location) else {
            throw UserError("INVALID_COMPANY_LOCATION", at: place, "The company location is invalid.")
        }
    }

    static func isEmail(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && !parts[0].isEmpty && parts[1].contains(".") && !text.contains(" ")
    }

    static func isPhone(_ text: String) -> Bool {
        let digits = text.utf8.dropFirst()
        return text.utf8.first == UInt8(ascii: "+") && (8...15).contains(digits.count)
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
