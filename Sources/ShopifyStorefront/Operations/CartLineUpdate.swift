public import IdentityKit
public import ShopifyGraphQL

/// A change of a line that is in a cart (`CartLineUpdateInput`); what is nil stays as it is.
public struct CartLineUpdate: GraphQLWritable, Equatable {
    /// The line's id.
    public var id: String
    /// How many; 0 takes the line away.
    public var quantity: Int?
    /// Another variant.
    public var merchandiseID: String?
    /// All attributes of the line, in the place of those that it has.
    public var attributes: [CartAttribute]?
    /// The selling plan; null takes it off.
    public var sellingPlanID: InputField<String>

    /// Creates a change.
    public init(
        id: String,
        quantity: Int? = nil,
        merchandiseID: String? = nil,
        attributes: [CartAttribute]? = nil,
        sellingPlanID: InputField<String> = .unset
    ) {
        self.id = id
        self.quantity = quantity
        self.merchandiseID = merchandiseID
        self.attributes = attributes
        self.sellingPlanID = sellingPlanID
    }

    /// The input as it is sent.
    public var graphQLValue: JSONValue {
        var input = GraphQLInputObject()
        input.set("id", id)
        if let quantity { input.set("quantity", quantity) }
        if let merchandiseID { input.set("merchandiseId", merchandiseID) }
        if let attributes { input.set("attributes", attributes) }
        input.set("sellingPlanId", sellingPlanID)
        return input.graphQLValue
    }
}

/// Which way of delivery was chosen for a group of lines (`CartSelectedDeliveryOptionInput`).
public struct CartDeliveryChoice: GraphQLWritable, Equatable {
    /// The group's id.
    public var groupID: String
    /// The handle of the option.
    public var optionHandle: String

    /// Creates a choice.
    public init(groupID: String, optionHandle: String) {
        self.groupID = groupID
        self.optionHandle = optionHandle
    }

    /// The input as it is sent.
    public var graphQLValue: JSONValue {
        .object(["deliveryGroupId": .string(groupID), "deliveryOptionHandle": .string(optionHandle)])
    }
}
