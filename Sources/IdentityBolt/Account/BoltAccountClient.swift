internal import IdentityHTTP
internal import IdentityKit

struct BoltAccountClient: Sendable {
    let url: HTTPURL
    let keys: [(name: String, value: Secret)]
    let httpClient: ProviderHTTPClient

    func buyer(for tokens: TokenSet) async throws -> Buyer {
        let bearer = [(name: "Authorization", value: "Bearer \(tokens.accessToken.reveal())")]
        let response = try await httpClient.send(
            .get,
            url,
            headers: try ProviderHTTPClient.headers(bearer + keys.map { ($0.name, $0.value.reveal()) }),
            asking: "Bolt's account API"
        )
        let object = (try? JSONValue(parsing: response.body))?.object
        let refusal = object.flatMap { BoltErrorResponse($0) }
        guard response.status == 200, let object, refusal == nil else {
            throw BoltErrorResponse.error(refusal, response, isJSON: object != nil)
                .hiding(RequestSecrets(secrets: [tokens.accessToken] + keys.map(\.value)))
        }
        return Self.buyer(object, knownAs: tokens.buyer)
    }

    private static let maximumAddresses = 50

    /// Reads the buyer from the response to `GET /v1/account`; every member of the response may be missing.
    private static func buyer(_ object: JSONObject, knownAs known: Buyer) -> Buyer {
        let profile = object["profile"]
        var buyer = known
        buyer.givenName = text(profile, "first_name") ?? known.givenName
        buyer.familyName = text(profile, "last_name") ?? known.familyName
        buyer.displayName = text(profile, "name") ?? known.displayName
        buyer.email = contact(text(profile, "email"), known.email)
        buyer.phone = contact(text(profile, "phone"), known.phone)
        buyer.addresses = sorted(object["addresses"]?.array ?? []).prefix(maximumAddresses).map {
            address($0, of: buyer)
        }
        return buyer
    }

    /// Prefers a verified contact of the ID token (`known`) to the contact in the response (`found`).
    ///
    /// The result counts `found` as unverified, because the response does not say whether Bolt has verified a contact.
    private static func contact(_ found: String?, _ known: Buyer.Contact?) -> Buyer.Contact? {
        if let known, known.isVerified { return known }
        return found.map { Buyer.Contact($0, isVerified: false) } ?? known
    }

    /// Moves the default address to the start of the list; if no address is the default, moves the primary address.
    private static func sorted(_ addresses: [JSONValue]) -> [JSONValue] {
        let preferred =
            addresses.firstIndex { $0["default"]?.bool == true }
            ?? addresses.firstIndex { $0["priority"]?.string == "primary" }
        guard let preferred else { return addresses }
        var sorted = addresses
        sorted.insert(sorted.remove(at: preferred), at: 0)
        return sorted
    }

    private static func address(_ value: JSONValue, of buyer: Buyer) -> PostalAddress {
        var address = PostalAddress()
        let whole = text(value, "name").map { split($0) }
        address.givenName = text(value, "first_name") ?? buyer.givenName ?? whole?.given
        address.familyName = text(value, "last_name") ?? buyer.familyName ?? whole?.family
        address.company = text(value, "company")
        address.line1 = text(value, "street_address1")
        let further = ["street_address2", "street_address3", "street_address4"].compactMap { text(value, $0) }
        address.line2 = further.isEmpty ? nil : further.joined(separator: ", ")
        address.city = text(value, "locality")
        address.postalCode = text(value, "postal_code")
        address.countryCode = letters(text(value, "country_code"), 2...2)
        address.regionCode =
            region(text(value, "region_code"), in: address.countryCode)
            ?? letters(text(value, "region"), 2...3)
        address.phone = text(value, "phone_number").flatMap { PhoneNumber.e164($0) }
        return address
    }

    /// The region in an ISO 3166-2 code, without the country, for example `NY` for `US-NY`; nil if the code names another country.
    private static func region(_ code: String?, in country: String?) -> String? {
        guard let code = code?.uppercased() else { return nil }
        let bytes = Array(code.utf8)
        let isPrefixed = bytes.count > 3 && bytes[2] == UInt8(ascii: "-")
        guard isPrefixed else { return code }
        if let country, !country.utf8.elementsEqual(bytes.prefix(2)) { return nil }
        return String(decoding: bytes.dropFirst(3), as: UTF8.self)
    }

    private static func letters(_ text: String?, _ count: ClosedRange<Int>) -> String? {
        guard let text, count.contains(text.utf8.count), text.utf8.allSatisfy(ASCII.isLetter) else { return nil }
        return text.uppercased()
    }

    private static func split(_ name: String) -> (given: String?, family: String?) {
        let words = name.split(separator: " ")
        guard let last = words.last, words.count > 1 else { return (name, nil) }
        return (words.dropLast().joined(separator: " "), String(last))
    }

    private static func text(_ value: JSONValue?, _ name: String) -> String? {
        (value?[name]?.string).map { ResolvedBoltConfiguration.trimmed($0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
