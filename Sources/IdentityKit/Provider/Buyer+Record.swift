extension Buyer {
    var record: JSONValue {
        var object = JSONObject()
        object.append("issuer", .string(issuer))
        object.append("subject", .string(subject))
        object.append("email", email.map(\.record))
        object.append("phone", phone.map(\.record))
        object.append("given_name", givenName.map { .string($0) })
        object.append("family_name", familyName.map { .string($0) })
        object.append("display_name", displayName.map { .string($0) })
        object.append("unverified_name", hasUnverifiedName ? .bool(true) : nil)
        object.append("addresses", addresses.isEmpty ? nil : .array(addresses.map(\.record)))
        return .object(object)
    }

    init?(record value: JSONValue) {
        guard let issuer = value["issuer"]?.string, let subject = value["subject"]?.string else { return nil }
        self.init(
            issuer: issuer,
            subject: subject,
            email: value["email"].flatMap { Contact(record: $0) },
            phone: value["phone"].flatMap { Contact(record: $0) },
            givenName: value["given_name"]?.string,
            familyName: value["family_name"]?.string,
            displayName: value["display_name"]?.string,
            addresses: (value["addresses"]?.array ?? []).map { PostalAddress(record: $0) }
        )
        hasUnverifiedName = value["unverified_name"]?.bool == true
    }
}

extension Buyer.Contact {
    fileprivate var record: JSONValue {
        .object(["value": .string(value), "verified": .bool(isVerified)])
    }

    fileprivate init?(record value: JSONValue) {
        guard let text = value["value"]?.string else { return nil }
        self.init(text, isVerified: value["verified"]?.bool == true)
    }
}

extension PostalAddress {
    private static let parts: [(name: String, path: any WritableKeyPath<PostalAddress, String?> & Sendable)] = [
        ("given_name", \.givenName), ("family_name", \.familyName), ("company", \.company), ("line1", \.line1),
        ("line2", \.line2), ("city", \.city), ("region", \.regionCode), ("postal_code", \.postalCode),
        ("country", \.countryCode), ("phone", \.phone),
    ]

    fileprivate var record: JSONValue {
        var object = JSONObject()
        for (name, path) in Self.parts {
            object[name] = self[keyPath: path].map { .string($0) }
        }
        return .object(object)
    }

    fileprivate init(record value: JSONValue) {
        self.init()
        for (name, path) in Self.parts {
            self[keyPath: path] = value[name]?.string
        }
    }
}
