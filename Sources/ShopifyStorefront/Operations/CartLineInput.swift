public import IdentityKit
public import ShopifyGraphQL

/// A line to put into a cart (`CartLineInput`).
public struct CartLineInput: GraphQLWritable, Equatable {
    /// The variant's global id.
    public var merchandiseID: String
    /// How many; 1 unless given.
    public var quantity: Int
    /// Attributes of the line, shown with the order.
    public var attributes: [(key: String, value: String)]
    /// The selling plan, for a subscription.
    public var sellingPlanID: String?
    /// The variant of the line that it belongs to, such as the product that a warranty is for.
    public var parentMerchandiseID: String?

    /// Creates an input.
    public init(
        merchandiseID: String,
        quantity: Int = 1,
        attributes: [(key: String, value: String)] = [],
        sellingPlanID: String? = nil,
        parentMerchandiseID: String? = nil
    ) {
        self.merchandiseID = merchandiseID
        self.quantity = quantity
        self.attributes = attributes
        self.sellingPlanID = sellingPlanID
        self.parentMerchandiseID = parentMerchandiseID
    }

    /// Whether both say the same.
    public static func == (left: CartLineInput, right: CartLineInput) -> Bool {
        left.object == right.object
    }

    /// The input as it is sent.
    public var graphQLValue: JSONValue { .object(object) }

    var object: JSONObject {
        var object: JSONObject = ["merchandiseId": .string(merchandiseID), "quantity": .integer(quantity)]
        if !attributes.isEmpty {
            object["attributes"] = .array(
                attributes.map { .object(["key": .string($0.key), "value": .string($0.value)]) }
            )
        }
        if let sellingPlanID { object["sellingPlanId"] = .string(sellingPlanID) }
        if let parentMerchandiseID { object["parent"] = .object(["merchandiseId": .string(parentMerchandiseID)]) }
        return object
    }
}
