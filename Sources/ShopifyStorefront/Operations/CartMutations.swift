public import IdentityKit
public import ShopifyGraphQL

// The mutations that the adapter offers under names of its own.

struct CartLinesUpdate: GraphQLOperation {
    let cartID: CartID
    let lines: [CartLineUpdate]
    let selection: CartSelection
    static let document = CartFields.mutation("cartLinesUpdate", "$lines: [CartLineUpdateInput!]!", "lines: $lines")
    typealias Output = CartPayload

    var variables: GraphQLInputObject {
        var variables = selection.variables(of: cartID)
        variables.set("lines", lines)
        return variables
    }
}

struct CartLinesRemove: GraphQLOperation {
    let cartID: CartID
    let lineIDs: [String]
    let selection: CartSelection
    static let document = CartFields.mutation("cartLinesRemove", "$lineIds: [ID!]!", "lineIds: $lineIds")
    typealias Output = CartPayload

    var variables: GraphQLInputObject {
        var variables = selection.variables(of: cartID)
        variables.set("lineIds", lineIDs)
        return variables
    }
}

struct CartNoteUpdate: GraphQLOperation {
    let cartID: CartID
    let note: String
    let selection: CartSelection
    static let document = CartFields.mutation("cartNoteUpdate", "$note: String!", "note: $note")
    typealias Output = CartPayload

    var variables: GraphQLInputObject {
        var variables = selection.variables(of: cartID)
        variables.set("note", note)
        return variables
    }
}

struct CartAttributesUpdate: GraphQLOperation {
    let cartID: CartID
    let attributes: [CartAttribute]
    let selection: CartSelection
    static let document = CartFields.mutation(
        "cartAttributesUpdate",
        "$attributes: [AttributeInput!]!",
        "attributes: $attributes"
    )
    typealias Output = CartPayload

    var variables: GraphQLInputObject {
        var variables = selection.variables(of: cartID)
        variables.set("attributes", attributes)
        return variables
    }
}

struct CartDiscountCodesUpdate: GraphQLOperation {
    let cartID: CartID
    let codes: [String]
    let selection: CartSelection
    static let document = CartFields.mutation(
        "cartDiscountCodesUpdate",
        "$discountCodes: [String!]!",
        "discountCodes: $discountCodes"
    )
    typealias Output = CartPayload

    var variables: GraphQLInputObject {
        var variables = selection.variables(of: cartID)
        variables.set("discountCodes", codes)
        return variables
    }
}

struct CartGiftCardCodesAdd: GraphQLOperation {
    let cartID: CartID
    let codes: [String]
    let selection: CartSelection
    static let document = CartFields.mutation(
        "cartGiftCardCodesAdd",
        "$giftCardCodes: [String!]!",
        "giftCardCodes: $giftCardCodes",
        .afterReading
    )
    typealias Output = CartPayload

    var variables: GraphQLInputObject {
        var variables = selection.variables(of: cartID)
        variables.set("giftCardCodes", codes)
        return variables
    }
}

struct CartGiftCardCodesRemove: GraphQLOperation {
    let cartID: CartID
    let giftCardIDs: [String]
    let selection: CartSelection
    static let document = CartFields.mutation(
        "cartGiftCardCodesRemove",
        "$appliedGiftCardIds: [ID!]!",
        "appliedGiftCardIds: $appliedGiftCardIds"
    )
    typealias Output = CartPayload

    var variables: GraphQLInputObject {
        var variables = selection.variables(of: cartID)
        variables.set("appliedGiftCardIds", giftCardIDs)
        return variables
    }
}

struct CartSelectedDeliveryOptionsUpdate: GraphQLOperation {
    let cartID: CartID
    let options: [CartDeliveryChoice]
    let selection: CartSelection
    static let document = CartFields.mutation(
        "cartSelectedDeliveryOptionsUpdate",
        "$selectedDeliveryOptions: [CartSelectedDeliveryOptionInput!]!",
        "selectedDeliveryOptions: $selectedDeliveryOptions"
    )
    typealias Output = CartPayload

    var variables: GraphQLInputObject {
        var variables = selection.variables(of: cartID)
        variables.set("selectedDeliveryOptions", options)
        return variables
    }
}

extension CartAttribute: GraphQLWritable {
    /// The attribute as it is sent.
    public var graphQLValue: JSONValue { .object(["key": .string(key), "value": .string(value)]) }
}
