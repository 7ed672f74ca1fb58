internal import FoundationEssentials
internal import IdentityKit
internal import IdentitySandbox

extension Cart.Metafield {
    /// Whether the value of an input is at most 128 KB long, as Shopify requires.
    static func fits(_ input: JSONValue) -> Bool { (input["value"]?.string ?? "").utf8.count <= 128 << 10 }
}

extension SandboxStorefront {
    /// The two mutations with separate payloads: the input names the owner, and the response contains no cart.
    func metafieldMutations(_ now: Date) -> [String: GraphExecutor.Resolver] {
        [
            "cartMetafieldsSet": { [self] call in
                let inputs = call.arguments["metafields"]?.array ?? []
                let (nodes, errors) = setMetafields(inputs, now)
                return .object(
                    "CartMetafieldsSetPayload",
                    ["metafields": errors.isEmpty ? .list(nodes) : .null, "userErrors": .list(errors)]
                )
            },
            "cartMetafieldDelete": { [self] call in
                let input = call.arguments["input"]
                let parts = Cart.parse(input?["ownerId"]?.string ?? "")
                let key = input?["key"]?.string ?? ""
                var deleted: String?
                _ = withCart(parts?.token ?? "") { stored throws(CartUserError) -> Cart in
                    guard var cart = stored, cart.key == parts?.key else { throw .cartMissing }
                    deleted = cart.metafields.removeValue(forKey: key).map { _ in Self.metafieldID(key) }
                    stored = cart
                    return cart
                }
                let error = deleted == nil ? [Self.metafieldError("MetafieldDeleteUserError", ["input", "key"])] : []
                return .object(
                    "CartMetafieldDeletePayload",
                    ["deletedId": .text(deleted), "userErrors": .list(error)]
                )
            },
        ]
    }

    private func setMetafields(_ inputs: [JSONValue], _ now: Date) -> (nodes: [GraphNode], errors: [GraphNode]) {
        guard inputs.count <= 25 else {
            return ([], [Self.metafieldError("MetafieldsSetUserError", ["metafields"], "LESS_THAN_OR_EQUAL_TO")])
        }
        if let index = inputs.firstIndex(where: { !Cart.Metafield.fits($0) }) {
            let field = ["metafields", String(index), "value"]
            return ([], [Self.metafieldError("MetafieldsSetUserError", field, "TOO_LONG")])
        }
        var nodes: [GraphNode] = []
        for (index, input) in inputs.enumerated() {
            let parts = Cart.parse(input["ownerId"]?.string ?? "")
            let outcome = withCart(parts?.token ?? "") { stored throws(CartUserError) -> Cart in
                guard var cart = stored, cart.key == parts?.key else { throw .cartMissing }
                let metafield = Cart.Metafield(
                    key: input["key"]?.string ?? "",
                    type: input["type"]?.string ?? "",
                    value: input["value"]?.string ?? "",
                    updatedAt: now
                )
                cart.metafields[metafield.key] = metafield
                stored = cart
                return cart
            }
            guard case .success(let cart) = outcome, let metafield = cart.metafields[input["key"]?.string ?? ""] else {
                let field = ["metafields", String(index), "ownerId"]
                return ([], [Self.metafieldError("MetafieldsSetUserError", field, "INVALID_OWNER")])
            }
            nodes.append(Self.metafield(metafield))
        }
        return (nodes, [])
    }

    private static func metafieldError(_ type: String, _ field: [String], _ code: String? = nil) -> GraphNode {
        .object(
            type,
            [
                "code": .text(code ?? "METAFIELD_DOES_NOT_EXIST"), "field": .list(field.map { .text($0) }),
                "message": .text("The metafield is invalid."),
            ]
        )
    }

    private static func metafieldID(_ key: String) -> String { "gid://shopify/Metafield/cart-\(key)" }

    static func metafield(_ field: Cart.Metafield) -> GraphNode {
        .object(
            "Metafield",
            [
                "id": .text(metafieldID(field.key)), "namespace": .text("app--sandbox"), "key": .text(field.key),
                "type": .text(field.type), "value": .text(field.value), "createdAt": .date(field.updatedAt),
                "updatedAt": .date(field.updatedAt),
            ]
        )
    }

    /// The member `metafields` of an object that has none: a null for each requested metafield.
    static let noMetafields = GraphNode.computed { .list(($0["identifiers"]?.array ?? []).map { _ in .null }) }

    /// The fields `metafield` and `metafields` of an object.
    static func metafieldMembers(_ fields: [String: Cart.Metafield]) -> [String: GraphNode] {
        [
            "metafield": .computed { arguments in
                fields[arguments["key"]?.string ?? ""].map(metafield) ?? .null
            },
            "metafields": .computed { arguments in
                let wanted = arguments["identifiers"]?.array ?? []
                return .list(wanted.map { fields[$0["key"]?.string ?? ""].map(metafield) ?? .null })
            },
        ]
    }
}
