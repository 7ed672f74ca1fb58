public import IdentityKit
public import ShopifyGraphQL

/// A change of a delivery address on a cart (`CartSelectableAddressUpdateInput`).
public struct CartDeliveryAddressUpdate: GraphQLWritable {
    /// The address's id on the cart.
    public var id: String
    /// The new address in full, nil to keep it.
    public var address: PostalAddress?
    /// Whether it is the one to deliver to, nil to keep that.
    public var isSelected: Bool?

    /// Creates a change.
    public init(id: String, address: PostalAddress? = nil, isSelected: Bool? = nil) {
        self.id = id
        self.address = address
        self.isSelected = isSelected
    }

    /// The input as it is sent.
    public var graphQLValue: JSONValue {
        var input = GraphQLInputObject()
        input.set("id", id)
        if let isSelected { input.set("selected", isSelected) }
        var object = input.json
        if let address { object["address"] = CartDeliveryAddressInput(address).object["address"] }
        return .object(object)
    }
}

extension CartDeliveryAddressUpdate: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always the same words.
    public var description: String { "CartDeliveryAddressUpdate(<private>)" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
