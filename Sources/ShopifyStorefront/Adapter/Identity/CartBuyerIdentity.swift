internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit
internal import ShopifyGraphQL

/// The identity that is put on a cart, from the session's cart claim (the identity that the provider gives for carts).
///
/// The adapter omits parts that Shopify rejects.
struct CartBuyerIdentity: Sendable {
    var token: CustomerAccessToken?
    private(set) var email: String?
    private(set) var phone: String?
    private(set) var country: String?
    var address: PostalAddress?
    /// The company location to buy for; only with a token.
    var companyLocationID: String?
    /// The names of the parts of the claim whose form Shopify does not accept.
    private(set) var unusable: [String] = []
    /// The bytes of the claim for the fingerprint: without the country, and with the parts that are omitted later.
    private let claim: [UInt8]

    /// Creates the identity of a claim; a country replaces the claim's country.
    init(_ claim: CartClaim, country chosen: String?) {
        var record = JSONObject()
        switch claim {
        case .customer(let token):
            // Shopify takes e-mail and phone from the customer of the token, so they are not sent.
            self.token = token
            record["token"] = .string(token.token.reveal())
        case .contact(let contact):
            email = contact.email.flatMap { $0.isEmpty ? nil : $0 }
            phone = contact.phone.flatMap(CartText.phone)
            country = contact.countryCode.flatMap(CartText.country)
            if phone == nil, contact.phone?.isEmpty == false { unusable.append("phone") }
            if country == nil, contact.countryCode?.isEmpty == false { unusable.append("country") }
            address = contact.addresses.first
            record["email"] = email.map { .string($0) }
            record["phone"] = phone.map { .string($0) }
            record["address"] = address.map { CartSelectableAddressInput($0).graphQLValue }
        case .none: break
        }
        if let chosen { country = chosen }
        self.claim = record.members.isEmpty ? [] : JSONValue.object(record).serialized
    }

    var kind: CartIdentity {
        if token != nil { return .customer }
        return email == nil && phone == nil && address == nil ? .guest : .contact
    }

    /// Returns an HMAC of the claim, keyed by the cart id; nil for an empty claim.
    func fingerprint(for cartID: CartID) throws(IdentityError) -> [UInt8]? {
        guard !claim.isEmpty else { return nil }
        do {
            return try HMACSHA256.authenticationCode(for: claim, key: SecretBytes(Array(cartID.rawValue.utf8)))
        } catch {
            throw IdentityError(
                .retryLater,
                .systemFailure,
                "The HMAC of the buyer's identity for the cart could not be computed.",
                hint: "Check that OpenSSL and its default provider are installed completely.",
                cause: error
            )
        }
    }

    /// The identity as an input of `cartCreate` (without `binding`) or `cartBuyerIdentityUpdate`.
    ///
    /// With a token, the update clears the e-mail address, the phone number and the company location that `binding` shows and this identity
    /// does not have. Without a token, it clears the token, and the e-mail address and the phone number that this identity does not have,
    /// even if `binding` does not show them: another session or another app may have put a customer on the cart.
    func input(over binding: CartBinding?) -> CartBuyerIdentityInput {
        let clearsAll = binding != nil && token == nil
        return CartBuyerIdentityInput(
            companyLocationID: token == nil ? .unset : companyLocation(over: binding),
            countryCode: country.map { .set($0) } ?? .unset,
            customerAccessToken: token.map { .set($0) } ?? (clearsAll ? .null : .unset),
            email: email.map { .set($0) } ?? (clearsAll || binding?.hasEmail == true ? .null : .unset),
            phone: phone.map { .set($0) } ?? (clearsAll || binding?.hasPhone == true ? .null : .unset)
        )
    }

    private func companyLocation(over binding: CartBinding?) -> InputField<String> {
        companyLocationID.map { .set($0) } ?? (binding?.companyLocationID == nil ? .unset : .null)
    }

    /// Returns the identity without the parts that Shopify's errors name; nil if all errors are about lines.
    ///
    /// If the errors name no part that is set, the first set part of address, phone, country and e-mail is omitted; nil if all are unset.
    func reduced(by errors: [CartUserError]) -> CartBuyerIdentity? {
        if !errors.isEmpty, errors.allSatisfy({ $0.field.contains("lines") }) { return nil }
        var less = self
        for error in errors {
            switch error.field.last ?? "" {
            case let field where error.field.contains("delivery") || error.field.contains("addresses"):
                less.address = less.address?.without(field)
            case "phone": less.phone = nil
            case "email": less.email = nil
            case "countryCode": less.country = nil
            case "companyLocationId": less.companyLocationID = nil
            default:
                let locationCodes = [CartErrorCode.invalidCompanyLocation, .buyerCannotPurchaseForCompanyLocation]
                if let code = error.code, locationCodes.contains(code) { less.companyLocationID = nil }
            }
        }
        return less.parts == parts ? omittingFirst(of: "address", "phone", "country", "email") : less
    }

    /// Returns the identity without the first of these parts that is set; nil if all of them are unset.
    func omittingFirst(of names: String...) -> CartBuyerIdentity? {
        guard let name = names.first(where: parts.contains) else { return nil }
        var less = self
        switch name {
        case "address": less.address = nil
        case "country": less.country = nil
        case "email": less.email = nil
        case "phone": less.phone = nil
        default: return nil
        }
        return less
    }

    /// Returns the names of the parts of `whole` that this identity does not have, and of the parts whose form Shopify does not accept.
    func omissions(from whole: CartBuyerIdentity) -> [String] {
        let missing = whole.parts.filter { !parts.contains($0) }
        // If the whole address is missing, the list has `address` and not each of its parts.
        return whole.unusable + missing.filter { address != nil || !$0.hasPrefix("address.") }
    }

    private var parts: [String] {
        [
            ("email", email != nil), ("phone", phone != nil), ("country", country != nil),
            ("companyLocation", companyLocationID != nil), ("address", address != nil),
        ].compactMap { $0.1 ? $0.0 : nil } + (address?.parts ?? [])
    }
}

extension PostalAddress {
    /// The address without a field that Shopify rejected; nil if the field is required, unknown or not set.
    func without(_ field: String) -> PostalAddress? {
        guard let path = Self.optionalFields.first(where: { $0.name == field })?.path else { return nil }
        var less = self
        less[keyPath: path] = nil
        return less == self ? nil : less
    }

    /// The names of the set fields that can be omitted one by one.
    fileprivate var parts: [String] {
        var usable = self
        usable.phone = phone.flatMap(CartText.phone)
        return Self.optionalFields.filter { usable[keyPath: $0.path]?.isEmpty == false }.map { "address.\($0.name)" }
    }

    /// The fields that can be omitted one by one, with their names at Shopify.
    private static var optionalFields: [(name: String, path: WritableKeyPath<PostalAddress, String?>)] {
        [
            ("firstName", \.givenName), ("lastName", \.familyName), ("company", \.company), ("address2", \.line2),
            ("provinceCode", \.regionCode), ("zip", \.postalCode), ("phone", \.phone),
        ]
    }
}
