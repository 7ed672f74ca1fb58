internal import IdentityKit
internal import IdentitySandbox

struct CustomerRecord: Sendable {
    struct Address: Sendable {
        let id: String
        /// The fields of the address, by their names in `CustomerAddressInput`.
        var fields: JSONObject
    }

    var firstName: String?
    var lastName: String?
    var addresses: [Address] = []
    var defaultAddress: String?
    var orders: [CustomerOrderRecord] = []
    private var addressCount = 0

    init(_ account: SandboxBuyerAccount) {
        firstName = account.firstName.isEmpty ? nil : account.firstName
        lastName = account.lastName.isEmpty ? nil : account.lastName
        for address in account.addresses {
            addressCount += 1
            let id = "gid://shopify/CustomerAddress/\(addressCount)"
            let fields: [(String, String)] = [
                ("firstName", account.firstName), ("lastName", account.lastName), ("address1", address.street1),
                ("address2", address.street2), ("city", address.city), ("zoneCode", address.regionCode),
                ("zip", address.postalCode), ("territoryCode", address.countryCode), ("phoneNumber", account.phone),
            ]
            var object = JSONObject()
            for (name, value) in fields where !value.isEmpty { object[name] = .string(value) }
            addresses.append(Address(id: id, fields: object))
        }
        defaultAddress = addresses.first?.id
    }

    mutating func update(_ input: JSONObject) throws(UserError) {
        guard !input.members.isEmpty else { throw UserError("CUSTOMER_INPUT_ARGUMENT_EMPTY", at: ["input"]) }
        for (name, value) in input.members where (value.string?.utf8.count ?? 0) > 255 {
            throw UserError("TOO_LONG", at: ["input", name])
        }
        if let value = input["firstName"] { firstName = value.string }
        if let value = input["lastName"] { lastName = value.string }
    }

    mutating func addAddress(_ input: JSONObject, isDefault: Bool) throws(UserError) -> Address {
        try Self.check(input)
        addressCount += 1
        var fields = JSONObject()
        for (name, value) in input.members where !value.isNull { fields[name] = value }
        guard !addresses.contains(where: { $0.fields == fields }) else {
            throw UserError("CUSTOMER_ADDRESS_ALREADY_EXISTS", at: ["address"])
        }
        let address = Address(id: "gid://shopify/CustomerAddress/\(addressCount)", fields: fields)
        addresses.append(address)
        if isDefault || defaultAddress == nil { defaultAddress = address.id }
        return address
    }

    /// Changes an address: a field that `input` does not contain keeps its value, and a null clears the field.
    mutating func updateAddress(_ id: String, _ input: JSONObject?, isDefault: Bool?) throws(UserError) -> Address {
        guard let index = addresses.firstIndex(where: { $0.id == id }) else {
            throw UserError("ADDRESS_ID_DOES_NOT_EXIST", at: ["addressId"])
        }
        guard input != nil || isDefault != nil else { throw UserError("ADDRESS_ARGUMENT_EMPTY", at: ["address"]) }
        if isDefault == false, defaultAddress == id {
            throw UserError("DEMOTING_CUSTOMER_DEFAULT_ADDRESS_NOT_ALLOWED", at: ["defaultAddress"])
        }
        try Self.check(input ?? [:])
        for (name, value) in input?.members ?? [] { addresses[index].fields[name] = value.isNull ? nil : value }
        if isDefault == true { defaultAddress = id }
        return addresses[index]
    }

    mutating func removeAddress(_ id: String) throws(UserError) {
        guard addresses.contains(where: { $0.id == id }) else {
            throw UserError("ADDRESS_ID_DOES_NOT_EXIST", at: ["addressId"])
        }
        guard defaultAddress != id || addresses.count == 1 else {
            throw UserError("DELETING_CUSTOMER_DEFAULT_ADDRESS_NOT_ALLOWED", at: ["addressId"])
        }
        addresses.removeAll { $0.id == id }
        if defaultAddress == id { defaultAddress = nil }
    }

    private static func check(_ input: JSONObject) throws(UserError) {
        if let phone = input["phoneNumber"]?.string, !phone.hasPrefix("+") || phone.utf8.count < 8 {
            throw UserError("PHONE_NUMBER_NOT_VALID", at: ["address", "phoneNumber"])
        }
        if let territory = input["territoryCode"]?.string, !SandboxCustomerAccountAPI.countries.contains(territory) {
            throw UserError("INVALID_TERRITORY_CODE", at: ["address", "territoryCode"])
        }
    }

    func node(of address: Address) -> GraphNode {
        let name = ["firstName", "lastName"].compactMap { address.fields[$0]?.string }.joined(separator: " ")
        let lines = ["address1", "address2", "city", "territoryCode"].compactMap { address.fields[$0]?.string }
        var members = GraphNode.members(address.fields)
        members["id"] = .text(address.id)
        members["name"] = .text(name.isEmpty ? nil : name)
        members["province"] = members["zoneCode"]
        members["country"] = members["territoryCode"]
        members["formatted"] = .list(lines.map { .text($0) })
        return .object(members)
    }

    var defaultAddressNode: GraphNode {
        addresses.first { $0.id == defaultAddress }.map { node(of: $0) } ?? .null
    }

    /// The addresses: the default one first, unless the argument `skipDefault` leaves it out.
    var addressNodes: GraphNode {
        .computed { arguments in
            let others = addresses.filter { $0.id != defaultAddress }
            let first = arguments["skipDefault"]?.bool == true ? [] : addresses.filter { $0.id == defaultAddress }
            return .connection((first + others).map { node(of: $0) })
        }
    }

    /// The orders in the order of their numbers; the arguments `sortKey` and `query` have no effect.
    var orderNodes: GraphNode {
        .computed { arguments in
            let ordered = orders.sorted { $0.number < $1.number }
            let sorted = arguments["reverse"]?.bool == true ? ordered.reversed() : ordered
            return .connection(sorted.map { $0.node(deliveredTo: defaultAddressNode) })
        }
    }
}
