internal import IdentityKit

/// What of a Bolt buyer goes into a cart.
enum BoltCartClaim {
    /// Makes the claim: the e-mail address only if it is verified, the phone only if a cart takes it.
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

    /// Makes the claim of a buyer whose every field stands and falls with a verified e-mail address.
    static func makeVerified(_ buyer: Buyer) -> CartClaim {
        buyer.email?.isVerified == true ? make(buyer, orElse: buyer) : .none
    }
}
