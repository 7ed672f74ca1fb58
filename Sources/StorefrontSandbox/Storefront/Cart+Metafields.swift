internal import FoundationEssentials
internal import IdentityKit
internal import IdentitySandbox

extension Cart.Metafield {
    /// Whether the value of an input is at most 128 KiB long, as Shopify requires.
    static func fits(_ input: JSONValue) -> Bool { (input["value"]?.string ?? "").utf8.count <= 128 << 10 }
}

extension SandboxStorefront {
    /// These mutations leave the old id of a moved cart valid, because their payloads contain no cart.
    func metafieldMutations(_ now: Date) -> [String: GraphExecutor.Mutation] {
        [
            "cartMetafieldsSet": { [self] call in
                ["metafields": .list(try setMetafields(call.arguments.list("metafields"), now))]
            },
            "cartMetafieldDelete": { [self] call in
                let input = call.arguments["input"]
                let key = input?["key"]?.string ?? ""
                let missing = Self.invalid("METAFIELD_DOES_NOT_EXIST", "input", "key")
                let owner = current(input?["ownerId"]?.string ?? "", endsMove: false)
                try changeCart(owner, orThrow: missing) { cart throws(UserError) in
                    guard cart.metafields.removeValue(forKey: key) != nil else { throw missing }
                }
                return ["deletedId": .text(Self.metafieldID(key))]
            },
        ]
    }

    /// Sets all metafields, or none if an input is refused; Shopify documents this rule only for `metafieldsSet` of the Admin API.
    private func setMetafields(_ inputs: [JSONValue], _ now: Date) throws(UserError) -> [GraphNode] {
        guard inputs.count <= 25 else { throw Self.invalid("LESS_THAN_OR_EQUAL_TO", "metafields") }
        if let index = inputs.firstIndex(where: { !Cart.Metafield.fits($0) }) {
            throw Self.invalid("TOO_LONG", "metafields", String(index), "value")
        }
        let metafields = inputs.map { Cart.Metafield($0, at: now) }
        let owners = inputs.map { current($0["ownerId"]?.string ?? "", endsMove: false) }
        try changeCarts { carts throws(UserError) in
            for (index, metafield) in metafields.enumerated() {
                guard let owner = owners[index], let cart = carts[owner.token], cart.key == owner.key else {
                    throw Self.invalid("INVALID_OWNER", "metafields", String(index), "ownerId")
                }
                carts[owner.token]?.metafields[metafield.key] = metafield
            }
        }
        return metafields.map(Self.metafield)
    }

    private static func invalid(_ code: String, _ field: String...) -> UserError {
        UserError(code, at: field, "The metafield is invalid.")
    }

    private static func metafieldID(_ key: String) -> String { "gid://shopify/Metafield/cart-\(key)" }

    static func metafield(_ field: Cart.Metafield) -> GraphNode {
        [
            "id": .text(metafieldID(field.key)), "namespace": .text("app--sandbox"), "key": .text(field.key),
            "type": .text(field.type), "value": .text(field.value), "createdAt": .date(field.updatedAt),
            "updatedAt": .date(field.updatedAt),
        ]
    }

    /// The member `metafields` of an object without metafields: a null for each requested metafield.
    static let noMetafields = GraphNode.computed { .list(($0["identifiers"]?.array ?? []).map { _ in .null }) }

    static func metafieldMembers(_ fields: [String: Cart.Metafield]) -> [String: GraphNode] {
        [
            "metafield": .computed { arguments in
                fields[arguments.text("key")].map(metafield) ?? .null
            },
            "metafields": .computed { arguments in
                let wanted = arguments.list("identifiers")
                return .list(wanted.map { fields[$0["key"]?.string ?? ""].map(metafield) ?? .null })
            },
        ]
    }
}
