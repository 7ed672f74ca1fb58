internal import IdentityKit
internal import IdentitySandbox

extension Cart {
    static let maximumLines = 500
    static let maximumQuantity = 1_000_000

    mutating func addLines(_ inputs: [JSONValue], _ shop: SandboxStorefront, field: [String]) throws(UserError) {
        for (index, input) in inputs.enumerated() {
            let path = field + [String(index)]
            guard let variant = input["merchandiseId"]?.string.flatMap(shop.variant) else {
                throw UserError(
                    "INVALID",
                    at: path + ["merchandiseId"],
                    "The merchandise with id \(input["merchandiseId"]?.string ?? "") does not exist."
                )
            }
            let quantity = try Self.quantity(input["quantity"], path) ?? 1
            let attributes = input["attributes"]?.array ?? []
            let plan = input["sellingPlanId"]?.string
            let parent = input["parent"]
            let known = lines.firstIndex { line in
                line.variant.id == variant.id && line.attributes == attributes && line.sellingPlanID == plan
                    && line.parent == parent
            }
            if let known {
                try set(quantity: lines[known].quantity + quantity, at: known, path)
            } else {
                guard lines.count < Self.maximumLines else {
                    throw UserError("CART_TOO_LARGE", at: field, "The cart has too many lines.")
                }
                let line = Line(
                    id: nextID("CartLine"),
                    variant: variant,
                    quantity: 0,
                    attributes: attributes,
                    sellingPlanID: plan,
                    parent: parent
                )
                lines.append(line)
                try set(quantity: quantity, at: lines.count - 1, path)
            }
        }
        lines.removeAll { $0.quantity == 0 }
    }

    mutating func updateLines(_ inputs: [JSONValue], _ shop: SandboxStorefront) throws(UserError) {
        for (position, input) in inputs.enumerated() {
            let path = ["lines", String(position)]
            guard
                let index = lines.firstIndex(where: {
                    $0.id == input["id"]?.string || $0.id == input["viewKey"]?.string
                })
            else { throw Self.lineMissing(path + ["id"], input["id"]?.string) }
            if let id = input["merchandiseId"]?.string {
                guard let variant = shop.variant(id) else {
                    throw UserError("INVALID", at: path + ["merchandiseId"], "The merchandise does not exist.")
                }
                lines[index].variant = variant
            }
            if let attributes = input["attributes"]?.array { lines[index].attributes = attributes }
            if let plan = input["sellingPlanId"] { lines[index].sellingPlanID = plan.string }
            // The quantity is set even if the input has no quantity, because the stock of a new variant may limit it.
            let quantity = try Self.quantity(input["quantity"], path) ?? lines[index].quantity
            try set(quantity: quantity, at: index, path)
        }
        lines.removeAll { $0.quantity == 0 }
    }

    mutating func removeLines(_ ids: [String]) throws(UserError) {
        for (position, id) in ids.enumerated() where !lines.contains(where: { $0.id == id }) {
            throw Self.lineMissing(["lineIds", String(position)], id)
        }
        let gone = Set(ids)
        lines.removeAll { gone.contains($0.id) }
    }

    private static func lineMissing(_ field: [String], _ id: String?) -> UserError {
        UserError("INVALID_MERCHANDISE_LINE", at: field, "The merchandise line with id \(id ?? "") does not exist.")
    }

    private static func quantity(_ value: JSONValue?, _ path: [String]) throws(UserError) -> Int? {
        guard let quantity = value?.number?.integer else { return nil }
        guard quantity >= 0 else {
            throw UserError("LESS_THAN", at: path + ["quantity"], "The quantity must be greater than or equal to 0.")
        }
        return quantity
    }

    private mutating func set(quantity: Int, at index: Int, _ path: [String]) throws(UserError) {
        guard quantity <= Self.maximumQuantity else {
            throw UserError("MAXIMUM_EXCEEDED", at: path + ["quantity"], "The quantity is too large.")
        }
        let line = lines[index]
        guard let stock = line.variant.stock, quantity > stock else {
            lines[index].quantity = quantity
            return
        }
        // As at Shopify, insufficient stock is no error: the cart gets the available quantity and a warning.
        lines[index].quantity = stock
        let (code, message) =
            stock == 0
            ? ("MERCHANDISE_OUT_OF_STOCK", "\(line.variant.product) is sold out.")
            : ("MERCHANDISE_NOT_ENOUGH_STOCK", "Only \(stock) items were added to your cart.")
        warnings.append(CartWarning(code: code, message: message, target: line.id))
    }
}
