internal import IdentityKit
internal import ShopifyGraphQL

// The generated operations with the adapter's own words for how much of the cart to read.

extension CartCreate {
    /// Creates a cart with a buyer and addresses; what is empty is not sent.
    public init(
        lines: [CartLineInput],
        buyerIdentity: CartBuyerIdentityInput = CartBuyerIdentityInput(),
        addresses: [CartDeliveryAddressInput] = [],
        selection: CartSelection = .full
    ) {
        var input = CartInput()
        if !lines.isEmpty { input.lines = .set(lines) }
        if !buyerIdentity.object.members.isEmpty { input.buyerIdentity = .set(buyerIdentity) }
        if !addresses.isEmpty { input.delivery = .set(CartDeliveryInput(addresses: .set(addresses))) }
        self.init(input: .set(input), lineCount: selection.lines, readsCustomer: selection.readsCustomer)
    }
}

extension CartLinesAdd {
    /// Adds lines, and reads as much of the cart as a selection says.
    public init(cartID: CartID, lines: [CartLineInput], selection: CartSelection) {
        self.init(cartID: cartID, lines: lines, lineCount: selection.lines, readsCustomer: selection.readsCustomer)
    }
}

extension CartBuyerIdentityUpdate {
    /// Sets or clears the buyer, and reads as much of the cart as a selection says.
    public init(cartID: CartID, buyerIdentity: CartBuyerIdentityInput, selection: CartSelection) {
        self.init(
            cartID: cartID,
            buyerIdentity: buyerIdentity,
            lineCount: selection.lines,
            readsCustomer: selection.readsCustomer
        )
    }
}

extension CartDeliveryAddressesReplace {
    /// Replaces the addresses, and reads as much of the cart as a selection says.
    public init(cartID: CartID, addresses: [CartDeliveryAddressInput], selection: CartSelection) {
        self.init(
            cartID: cartID,
            addresses: addresses,
            lineCount: selection.lines,
            readsCustomer: selection.readsCustomer
        )
    }
}

extension CartDeliveryAddressesRemove {
    /// Removes addresses, and reads as much of the cart as a selection says.
    public init(cartID: CartID, addressIDs: [String], selection: CartSelection) {
        self.init(
            cartID: cartID,
            addressIDs: addressIDs,
            lineCount: selection.lines,
            readsCustomer: selection.readsCustomer
        )
    }
}

extension CartLinesUpdate {
    init(cartID: CartID, lines: [CartLineUpdate], selection: CartSelection) {
        self.init(
            cartID: cartID,
            lines: lines,
            lineCount: selection.lines,
            readsCustomer: selection.readsCustomer
        )
    }
}

extension CartLinesRemove {
    init(cartID: CartID, lineIDs: [String], selection: CartSelection) {
        self.init(
            cartID: cartID,
            lineIDs: lineIDs,
            lineCount: selection.lines,
            readsCustomer: selection.readsCustomer
        )
    }
}

extension CartNoteUpdate {
    init(cartID: CartID, note: String, selection: CartSelection) {
        self.init(
            cartID: cartID,
            note: note,
            lineCount: selection.lines,
            readsCustomer: selection.readsCustomer
        )
    }
}

extension CartAttributesUpdate {
    init(cartID: CartID, attributes: [CartAttribute], selection: CartSelection) {
        self.init(
            cartID: cartID,
            attributes: attributes,
            lineCount: selection.lines,
            readsCustomer: selection.readsCustomer
        )
    }
}

extension CartDiscountCodesUpdate {
    init(cartID: CartID, codes: [String], selection: CartSelection) {
        self.init(
            cartID: cartID,
            discountCodes: codes,
            lineCount: selection.lines,
            readsCustomer: selection.readsCustomer
        )
    }
}

extension CartGiftCardCodesAdd {
    init(cartID: CartID, codes: [String], selection: CartSelection) {
        self.init(
            cartID: cartID,
            giftCardCodes: codes,
            lineCount: selection.lines,
            readsCustomer: selection.readsCustomer
        )
    }
}

extension CartGiftCardCodesRemove {
    init(cartID: CartID, giftCardIDs: [String], selection: CartSelection) {
        self.init(
            cartID: cartID,
            appliedGiftCardIDs: giftCardIDs,
            lineCount: selection.lines,
            readsCustomer: selection.readsCustomer
        )
    }
}

extension CartSelectedDeliveryOptionsUpdate {
    init(cartID: CartID, options: [CartDeliveryChoice], selection: CartSelection) {
        self.init(
            cartID: cartID,
            selectedDeliveryOptions: options,
            lineCount: selection.lines,
            readsCustomer: selection.readsCustomer
        )
    }
}

extension CartDeliveryAddressesAdd {
    init(cartID: CartID, addresses: [CartDeliveryAddressInput], selection: CartSelection) {
        self.init(
            cartID: cartID,
            addresses: addresses,
            lineCount: selection.lines,
            readsCustomer: selection.readsCustomer
        )
    }
}

extension CartDeliveryAddressesUpdate {
    init(cartID: CartID, addresses: [CartDeliveryAddressUpdate], selection: CartSelection) {
        self.init(
            cartID: cartID,
            addresses: addresses,
            lineCount: selection.lines,
            readsCustomer: selection.readsCustomer
        )
    }
}
