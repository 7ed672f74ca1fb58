internal import IdentityKit

/// The data of a Bolt buyer for a cart.
enum BoltCartClaim {
    /// The claim: the e-mail address only if it is verified, the phone number only if a cart accepts it.
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

    /// The claim of a buyer with a verified e-mail address; no claim for another buyer.
    static func makeVerified(_ buyer: Buyer) -> CartClaim {
        buyer.email?.isVerified == true ? make(buyer, orElse: buyer) : .none
    }
}
