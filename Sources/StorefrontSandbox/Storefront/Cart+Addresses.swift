internal import IdentityKit
internal import IdentitySandbox

extension Cart {
    static let maximumAddresses = 20

    mutating func addAddresses(
        _ inputs: [JSONValue],
        field: [String],
        _ warnings: inout [CartWarning]
    ) throws(CartUserError) {
        for (index, input) in inputs.enumerated() {
            guard addresses.count < Self.maximumAddresses else {
                throw CartUserError(
                    code: "TOO_MANY_DELIVERY_ADDRESSES",
                    field: field,
                    message: "The cart has too many addresses."
                )
            }
            let path = field + [String(index)]
            let fields = try addressFields(input, path)
            let id = nextID("CartSelectableAddress")
            if addresses.contains(where: { $0.fields == fields }) {
                warnings.append(
                    CartWarning(
                        code: "DUPLICATE_DELIVERY_ADDRESS",
                        message: "The cart already has this address.",
                        target: id
                    )
                )
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

    mutating func replaceAddresses(_ inputs: [JSONValue], _ warnings: inout [CartWarning]) throws(CartUserError) {
        addresses = []
        try addAddresses(inputs, field: ["addresses"], &warnings)
    }

    /// Changes addresses; an empty list removes all, as at Shopify since 2025-10.
    mutating func updateAddresses(_ inputs: [JSONValue]) throws(CartUserError) {
        if inputs.isEmpty { addresses = [] }
        for (position, input) in inputs.enumerated() {
            let path = ["addresses", String(position)]
            guard let index = addresses.firstIndex(where: { $0.id == input["id"]?.string }) else {
                throw Self.addressMissing(path + ["id"])
            }
            if input["address"]?.object != nil { addresses[index].fields = try addressFields(input, path) }
            if let flag = input["oneTimeUse"]?.bool { addresses[index].isOneTimeUse = flag }
            if let flag = input["selected"]?.bool {
                if flag { for other in addresses.indices { addresses[other].isSelected = false } }
                addresses[index].isSelected = flag
            }
        }
        try checkSelection(inputs, ["addresses"])
    }

    mutating func removeAddresses(_ ids: [String]) throws(CartUserError) {
        for (position, id) in ids.enumerated() where !addresses.contains(where: { $0.id == id }) {
            throw Self.addressMissing(["addressIds", String(position)])
        }
        addresses.removeAll { ids.contains($0.id) }
    }

    private static func addressMissing(_ field: [String]) -> CartUserError {
        CartUserError(code: "INVALID_DELIVERY_ADDRESS_ID", field: field, message: "The address id is invalid.")
    }

    private func checkSelection(_ inputs: [JSONValue], _ field: [String]) throws(CartUserError) {
        guard inputs.count(where: { $0["selected"]?.bool == true }) <= 1 else {
            throw CartUserError(
                code: "ONLY_ONE_DELIVERY_ADDRESS_CAN_BE_SELECTED",
                field: field,
                message: "Only one delivery address can be selected."
            )
        }
    }

    private func addressFields(_ input: JSONValue, _ path: [String]) throws(CartUserError) -> JSONObject {
        let path = path + ["address"]
        if input["address"]?["copyFromCustomerAddressId"]?.string != nil {
            guard let buyer = identity.customer?.account, let address = buyer.addresses.first else {
                throw Self.addressMissing(path + ["copyFromCustomerAddressId"])
            }
            return [
                "address1": .string(address.street1), "address2": .string(address.street2),
                "city": .string(address.city), "provinceCode": .string(address.regionCode),
                "zip": .string(address.postalCode), "countryCode": .string(address.countryCode),
                "firstName": .string(buyer.firstName), "lastName": .string(buyer.lastName),
            ]
        }
        let inside = path + ["deliveryAddress"]
        guard let fields = input["address"]?["deliveryAddress"]?.object else {
            throw CartUserError(code: "INVALID", field: path, message: "An address is required.")
        }
        let required =
            input["validationStrategy"]?.string == "STRICT"
            ? ["countryCode", "address1", "city", "zip", "lastName"] : ["countryCode"]
        for name in required where fields[name]?.string?.isEmpty != false {
            throw CartUserError(
                code: "ADDRESS_FIELD_IS_REQUIRED",
                field: inside + [name],
                message: "The field is required."
            )
        }
        for member in fields.members where member.value.string?.isEmpty == true {
            throw CartUserError(
                code: "ADDRESS_FIELD_DOES_NOT_MATCH_EXPECTED_PATTERN",
                field: inside + [member.name],
                message: "The field is empty."
            )
        }
        if let phone = fields["phone"]?.string, !Self.isPhone(phone) {
            throw CartUserError(
                code: "ADDRESS_FIELD_DOES_NOT_MATCH_EXPECTED_PATTERN",
                field: inside + ["phone"],
                message: "Phone is invalid"
            )
        }
        return fields
    }
}
