internal import IdentityHTTP
internal import IdentityKit

enum BoltCartClaim {
    /// Returns the buyer's addresses, verified e-mail address and phone number in E.164; `.none` if all three are missing.
    ///
    /// If `buyer` has no verified e-mail address or no phone number in E.164, the value of `known` is used.
    static func make(_ buyer: Buyer, orElse known: Buyer) -> CartClaim {
        let email = [buyer.email, known.email].compactMap(\.self).first { $0.isVerified }
        let phone = [buyer.phone, known.phone].lazy.compactMap { $0 }.compactMap { PhoneNumber.e164($0.value) }.first
        let contact = BuyerContact(
            email: email?.value,
            phone: phone,
            countryCode: buyer.addresses.lazy.compactMap(\.countryCode).first,
            addresses: buyer.addresses
        )
        return contact == BuyerContact() ? .none : .contact(contact)
    }
}

/// Phone numbers that a cart accepts.
enum PhoneNumber {
    /// Returns the text if it is an E.164 number: `+` and 8 to 15 digits, the first of which is not zero; otherwise nil.
    ///
    /// Other numbers are omitted, because Shopify rejects a whole buyer identity that contains an invalid number.
    static func e164(_ text: String) -> String? {
        let digits = text.utf8.dropFirst()
        let isNumber =
            text.utf8.first == UInt8(ascii: "+") && (8...15).contains(digits.count)
            && digits.allSatisfy(ASCII.isDigit) && digits.first != UInt8(ascii: "0")
        return isNumber ? text : nil
    }
}
