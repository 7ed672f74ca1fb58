internal import IdentityKit

/// The data of a Bolt buyer for a cart.
enum BoltCartClaim {
    /// The contact data for a cart: addresses, a verified e-mail address and a phone number in E.164.
    ///
    /// The result is `.none` if the buyer has no such data.
    ///
    /// E-mail address and phone number come from `buyer`, otherwise from `known`. The addresses come from `buyer`.
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

    /// The contact data of a buyer with a verified e-mail address; `.none` for other buyers.
    static func makeVerified(_ buyer: Buyer) -> CartClaim {
        buyer.email?.isVerified == true ? make(buyer, orElse: buyer) : .none
    }
}
