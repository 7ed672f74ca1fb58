internal import IdentityKit
internal import IdentitySandbox

extension Cart {
    static let maximumAddresses = 20

    mutating func addAddresses(_ inputs: [JSONValue], _ shop: SandboxStorefront, field: [String]) throws(UserError) {
        for (index, input) in inputs.enumerated() {
            guard addresses.count < Self.maximumAddresses else {
                throw UserError("TOO_MANY_DELIVERY_ADDRESSES", at: field, "The cart has too many addresses.")
            }
            let path = field + [String(index)]
            let fields = try addressFields(input, shop, path)
            let id = nextID("CartSelectableAddress")
            if addresses.contains(where: { $0.fields == fields }) {
                let message = "The cart already has this address."
                warnings.append(CartWarning(code: "DUPLICATE_DELIVERY_ADDRESS", message: message, target: id))
            }
            let isSelected = input["selected"]?.bool ?? false
            if isSelected { for other in addresses.indices { addresses[other].isSelected = false } }
            addresses.append(
                Address(
                    id: id,
                    fields: fields,
                    isSelected: isSelected,
                    isOneTimeUse: input["oneTimeUse"]?.bool ?? false
                )
            )
        }
        try checkSelection(inputs, field)
    }

    /// Changes addresses; an empty list removes all addresses, as at Shopify since version 2025-10.
    mutating func updateAddresses(_ inputs: [JSONValue], _ shop: SandboxStorefront) throws(UserError) {
        if inputs.isEmpty { addresses = [] }
        for (position, input) in inputs.enumerated() {
            let path = ["addresses", String(position)]
            guard let index = addresses.firstIndex(where: { $0.id == input["id"]?.string }) else {
                throw Self.addressMissing(path + ["id"])
            }
            if input["address"]?.object != nil { addresses[index].fields = try addressFields(input, shop, path) }
            if let flag = input["oneTimeUse"]?.bool { addresses[index].isOneTimeUse = flag }
            if let flag = input["selected"]?.bool {
                if flag { for other in addresses.indices { addresses[other].isSelected = false } }
                addresses[index].isSelected = flag
            }
        }
        try checkSelection(inputs, ["addresses"])
    }

    mutating func removeAddresses(_ ids: [String]) throws(UserError) {
        for (position, id) in ids.enumerated() where !addresses.contains(where: { $0.id == id }) {
            throw Self.addressMissing(["addressIds", String(position)])
        }
        addresses.removeAll { ids.contains($0.id) }
    }

    private static func addressMissing(_ field: [String]) -> UserError {
        UserError("INVALID_DELIVERY_ADDRESS_ID", at: field, "The address id is invalid.")
    }

    private func checkSelection(_ inputs: [JSONValue], _ field: [String]) throws(UserError) {
        guard inputs.count(where: { $0["selected"]?.bool == true }) <= 1 else {
            throw UserError(
                "ONLY_ONE_DELIVERY_ADDRESS_CAN_BE_SELECTED",
                at: field,
                "Only one delivery address can be selected."
            )
        }
    }

    private func addressFields(
        _ input: JSONValue,
        _ shop: SandboxStorefront,
        _ path: [String]
    ) throws(UserError) -> JSONObject {
        let path = path + ["address"]
        if let id = input["address"]?["copyFromCustomerAddressId"]?.string {
            let known = identity.customer.map(shop.customers.record(of:))?.addresses.first { $0.id == id }
            guard let known else { throw Self.addressMissing(path + ["copyFromCustomerAddressId"]) }
            let names = ["zoneCode": "provinceCode", "territoryCode": "countryCode", "phoneNumber": "phone"]
            return known.fields.members.reduce(into: JSONObject()) { $0[names[$1.name] ?? $1.name] = $1.value }
        }
        let inside = path + ["deliveryAddress"]
        guard let fields = input["address"]?["deliveryAddress"]?.object else {
            throw UserError("INVALID", at: path, "An address is required.")
        }
        let required =
            input["validationStrategy"]?.string == "STRICT"
            ? ["countryCode", "address1", "city", "zip", "lastName"] : ["countryCode"]
        for name in required where fields[name]?.string?.isEmpty != false {
            throw UserError("ADDRESS_FIELD_IS_REQUIRED", at: inside + [name], "The field is required.")
        }
        for member in fields.members where member.value.string?.isEmpty == true {
            throw UserError(
                "ADDRESS_FIELD_DOES_NOT_MATCH_EXPECTED_PATTERN",
                at: inside + [member.name],
                "The field is empty."
            )
        }
        if let phone = fields["phone"]?.string, !Self.isPhone(phone) {
            throw UserError("ADDRESS_FIELD_DOES_NOT_MATCH_EXPECTED_PATTERN", at: inside + ["phone"], "Phone is invalid")
        }
        return fields
    }
}
