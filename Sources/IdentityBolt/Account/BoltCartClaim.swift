internal import IdentityKit

enum BoltCartClaim {
    /// Returns the buyer's addresses, verified e-mail address and phone number in E.164; `.none` if the buyer has none of these.
    ///
    /// If `buyer` has no verified e-mail address, that of `known` is used. The same applies to the phone number.
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

    /// Returns the contact data of a buyer with a verified e-mail address; `.none` for other buyers.
    static func makeVerified(_ buyer: Buyer) -> CartClaim {
        buyer.email?.isVerified == true ? make(buyer, orElse: buyer) : .none
    }
}
