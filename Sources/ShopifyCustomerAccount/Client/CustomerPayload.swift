protocol CustomerPayload: Sendable {
    var entries: [CustomerUserErrors.Entry] { get }
}

extension CustomerUpdate.CustomerUpdateSelection: CustomerPayload {
    var entries: [CustomerUserErrors.Entry] {
        userErrors.map { .init(code: $0.code?.rawValue, field: $0.field ?? [], message: $0.message) }
    }
}

extension CustomerAddressPayload: CustomerPayload {
    var entries: [CustomerUserErrors.Entry] { userErrors.map(\.entry) }
}

extension CustomerAddressDelete.CustomerAddressDeleteSelection: CustomerPayload {
    var entries: [CustomerUserErrors.Entry] { userErrors.map(\.entry) }
}

extension CustomerAddressUserError {
    fileprivate var entry: CustomerUserErrors.Entry {
        .init(code: code?.rawValue, field: field ?? [], message: message)
    }
}
