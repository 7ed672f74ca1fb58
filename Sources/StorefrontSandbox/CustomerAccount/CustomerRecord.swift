internal import IdentityKit
internal import IdentitySandbox

/// The data of a customer account that its owner can change.
struct CustomerRecord: Sendable {
    struct Address: Sendable {
        let id: String
        /// The fields, with the names of `CustomerAddress`.
        var fields: JSONObject
    }

    struct Refusal: Error {
        let code: String
        let field: [String]

        init(_ code: String, _ field: String...) {
            self.code = code
            self.field = field
        }

        func node(_ type: String) -> GraphNode {
            .object(
                type,
                [
                    "code": .text(code), "field": .list(field.map { .text($0) }),
                    "message": .text("Refused by the sandbox: \(code)"),
                ]
            )
        }
    }

    var firstName: String?
    var lastName: String?
    var addresses: [Address] = []
    var defaultAddress: String?
    /// The newest last.
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

    mutating func update(_ input: JSONObject) throws(Refusal) {
        guard !input.members.isEmpty else { throw Refusal("CUSTOMER_INPUT_ARGUMENT_EMPTY", "input") }
        for (name, value) in input.members where (value.string?.utf8.count ?? 0) > 255 {
            throw Refusal("TOO_LONG", "input", name)
        }
        if let value = input["firstName"] { firstName = value.string }
        if let value = input["lastName"] { lastName = value.string }
    }

    mutating func addAddress(_ input: JSONObject, isDefault: Bool) throws(Refusal) -> Address {
        try Self.check(input)
        addressCount += 1
        var fields = JSONObject()
        for (name, value) in input.members where !value.isNull { fields[name] = value }
        guard !addresses.contains(where: { $0.fields == fields }) else {
            throw Refusal("CUSTOMER_ADDRESS_ALREADY_EXISTS", "address")
        }
        let address = Address(id: "gid://shopify/CustomerAddress/\(addressCount)", fields: fields)
        addresses.append(address)
        if isDefault || defaultAddress == nil { defaultAddress = address.id }
        return address
    }

    /// Absent members keep their value, null clears, a value sets.
    mutating func updateAddress(_ id: String, _ input: JSONObject?, isDefault: Bool?) throws(Refusal) -> Address {
        guard let index = addresses.firstIndex(where: { $0.id == id }) else {
            throw Refusal("ADDRESS_ID_DOES_NOT_EXIST", "addressId")
        }
        guard input != nil || isDefault != nil else { throw Refusal("ADDRESS_ARGUMENT_EMPTY", "address") }
        if isDefault == false, defaultAddress == id {
            throw Refusal("DEMOTING_CUSTOMER_DEFAULT_ADDRESS_NOT_ALLOWED", "defaultAddress")
        }
        try Self.check(input ?? [:])
        for (name, value) in input?.members ?? [] { addresses[index].fields[name] = value.isNull ? nil : value }
        if isDefault == true { defaultAddress = id }
        return addresses[index]
    }

    mutating func removeAddress(_ id: String) throws(Refusal) {
        guard addresses.contains(where: { $0.id == id }) else {
            throw Refusal("ADDRESS_ID_DOES_NOT_EXIST", "addressId")
        }
        guard defaultAddress != id || addresses.count == 1 else {
            throw Refusal("DELETING_CUSTOMER_DEFAULT_ADDRESS_NOT_ALLOWED", "addressId")
        }
        addresses.removeAll { $0.id == id }
        if defaultAddress == id { defaultAddress = nil }
    }

    private static func check(_ input: JSONObject) throws(Refusal) {
        if let phone = input["phoneNumber"]?.string, !phone.hasPrefix("+") || phone.utf8.count < 8 {
            throw Refusal("PHONE_NUMBER_NOT_VALID", "address", "phoneNumber")
        }
        if let territory = input["territoryCode"]?.string, !CustomerAccountAPI.countries.contains(territory) {
            throw Refusal("INVALID_TERRITORY_CODE", "address", "territoryCode")
        }
    }

    // MARK: GraphQL nodes

    func node(of address: Address) -> GraphNode {
        func text(_ name: String) -> GraphNode { .text(address.fields[name]?.string) }
        let name = ["firstName", "lastName"].compactMap { address.fields[$0]?.string }.joined(separator: " ")
        let lines = ["address1", "address2", "city", "territoryCode"].compactMap { address.fields[$0]?.string }
        return .object(
            "CustomerAddress",
            [
                "id": .text(address.id), "firstName": text("firstName"), "lastName": text("lastName"),
                "name": .text(name.isEmpty ? nil : name), "company": text("company"), "address1": text("address1"),
                "address2": text("address2"), "city": text("city"), "province": text("zoneCode"),
                "zoneCode": text("zoneCode"), "zip": text("zip"), "country": text("territoryCode"),
                "territoryCode": text("territoryCode"), "phoneNumber": text("phoneNumber"),
                "formatted": .list(lines.map { .text($0) }),
            ]
        )
    }

    var defaultAddressNode: GraphNode {
        addresses.first { $0.id == defaultAddress }.map { node(of: $0) } ?? .null
    }

    /// The default one first.
    var addressNodes: [GraphNode] {
        (addresses.filter { $0.id == defaultAddress } + addresses.filter { $0.id != defaultAddress })
            .map { node(of: $0) }
    }

    /// The oldest first, which is the order of every sort key here, or the newest first.
    var orderNodes: GraphNode {
        .computed { arguments in
            let ordered = orders.sorted { $0.number < $1.number }
            let sorted = arguments["reverse"]?.bool == true ? ordered.reversed() : ordered
            let nodes = sorted.map { $0.node(deliveredTo: defaultAddressNode) }
            guard case .computed(let page) = GraphNode.connection("OrderConnection", "OrderEdge", nodes) else {
                return .null
            }
            return page(arguments)
        }
    }
}
