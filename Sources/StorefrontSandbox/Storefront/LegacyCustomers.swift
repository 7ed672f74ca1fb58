internal import FoundationEssentials
internal import IdentityKit
internal import IdentitySandbox

struct LegacyCustomers: Sendable {
    struct Customer: Sendable {
        let number: Int
        var email: String
        var password: String
        var firstName: String?
        var lastName: String?
        var phone: String?
        var acceptsMarketing = false
        var isActive = true
        var addresses: [(id: String, fields: JSONObject)] = []
        var defaultAddress: String?

        var id: String { "gid://shopify/Customer/\(number)" }

        var buyer: KnownBuyer {
            let account = SandboxBuyerAccount(email: email, firstName: firstName ?? "", lastName: lastName ?? "")
            return KnownBuyer(number: number, account: account)
        }
    }

    private var customers: [Customer] = []
    /// The access tokens, each with the index of its customer in `customers`.
    private var tokens: [String: (customer: Int, expiresAt: Date)] = [:]
    /// The reset and activation tokens, each with the index of its customer in `customers`.
    private var mails: [String: Int] = [:]
    private var addressCount = 0
    private var usedMultipassTokens: Set<[UInt8]> = []
    static let tokenLifetime: Double = 14 * 86_400

    // MARK: Accounts

    mutating func create(_ input: JSONObject, isActive: Bool = true) throws(UserError) -> Customer {
        guard let email = input["email"]?.string, email.contains("@") else {
            throw UserError("INVALID", at: ["input", "email"])
        }
        let password = try Self.password(input["password"]?.string, at: ["input", "password"])
        guard index(email: email) == nil else { throw UserError("TAKEN", at: ["input", "email"]) }
        var customer = Customer(number: 8_000_000_001 + customers.count, email: email, password: password)
        customer.firstName = input["firstName"]?.string
        customer.lastName = input["lastName"]?.string
        customer.phone = input["phone"]?.string
        customer.acceptsMarketing = input["acceptsMarketing"]?.bool ?? false
        customer.isActive = isActive
        customers.append(customer)
        return customer
    }

    private static func password(_ text: String?, at field: [String]) throws(UserError) -> String {
        guard let text, text.utf8.count >= 5 else { throw UserError("TOO_SHORT", at: field) }
        guard text.utf8.count <= 40 else { throw UserError("TOO_LONG", at: field) }
        guard text.first != " ", text.last != " " else {
            throw UserError("PASSWORD_STARTS_OR_ENDS_WITH_WHITESPACE", at: field)
        }
        return text
    }

    private func index(email: String) -> Int? {
        customers.firstIndex { $0.email.lowercased() == email.lowercased() }
    }

    // MARK: Tokens

    mutating func signIn(_ email: String, _ password: String, at now: Date) throws(UserError) -> (String, Date) {
        guard let index = index(email: email), customers[index].isActive, customers[index].password == password else {
            throw UserError("UNIDENTIFIED_CUSTOMER", at: [])
        }
        return issue(index, at: now)
    }

    /// Signs in with the bytes of a Multipass token that `MultipassReader` has checked.
    ///
    /// Each token works once. As at Shopify, an unknown e-mail address creates an account.
    mutating func signIn(
        multipassToken token: [UInt8],
        email: String,
        at now: Date
    ) throws(UserError) -> (String, Date) {
        guard usedMultipassTokens.insert(token).inserted else { throw UserError("INVALID_MULTIPASS_REQUEST", at: []) }
        if let index = index(email: email) { return issue(index, at: now) }
        _ = try create(["email": .string(email), "password": .string(RandomText.hexadecimal(16))])
        return issue(customers.count - 1, at: now)
    }

    private mutating func issue(_ index: Int, at now: Date) -> (String, Date) {
        let token = RandomText.hexadecimal(32)
        let expiry = now + Self.tokenLifetime
        tokens[token] = (index, expiry)
        return (token, expiry)
    }

    mutating func renew(_ token: String, at now: Date) -> (String, Date)? {
        guard let index = try? index(token: token, at: now) else { return nil }
        tokens[token] = nil
        return issue(index, at: now)
    }

    mutating func delete(_ token: String) -> Bool {
        tokens.removeValue(forKey: token) != nil
    }

    func customer(_ token: String, at now: Date) -> Customer? {
        (try? index(token: token, at: now)).map { customers[$0] }
    }

    private func index(token: String, at now: Date) throws(UserError) -> Int {
        guard let known = tokens[token], known.expiresAt > now else {
            throw UserError("TOKEN_INVALID", at: ["customerAccessToken"])
        }
        return known.customer
    }

    // MARK: E-mails

    /// Issues the token for a reset or activation e-mail; nil for an unknown address.
    mutating func mail(to email: String) -> (customer: Customer, token: String)? {
        guard let index = index(email: email) else { return nil }
        let token = RandomText.hexadecimal(24)
        mails[token] = index
        return (customers[index], token)
    }

    mutating func takeMail(
        _ token: String,
        for id: String?,
        password: String?,
        fields: (token: [String], password: [String]),
        at now: Date
    ) throws(UserError) -> (String, Date) {
        guard let index = mails[token], id == nil || id == customers[index].id else {
            throw UserError("TOKEN_INVALID", at: fields.token)
        }
        customers[index].password = try Self.password(password, at: fields.password)
        customers[index].isActive = true
        mails[token] = nil
        tokens = tokens.filter { $0.value.customer != index }
        return issue(index, at: now)
    }

    // MARK: Changes

    /// Changes a customer; a new password revokes all access tokens of the customer and issues a new access token.
    mutating func update(
        _ token: String,
        _ input: JSONObject,
        at now: Date
    ) throws(UserError) -> (customer: Customer, token: (String, Date)?) {
        let index = try index(token: token, at: now)
        var changed = customers[index]
        if let value = input["email"]?.string {
            guard value.contains("@") else { throw UserError("INVALID", at: ["customer", "email"]) }
            guard self.index(email: value) ?? index == index else {
                throw UserError("TAKEN", at: ["customer", "email"])
            }
            changed.email = value
        }
        if let value = input["firstName"] { changed.firstName = value.string }
        if let value = input["lastName"] { changed.lastName = value.string }
        if let value = input["phone"] { changed.phone = value.string }
        if let value = input["acceptsMarketing"]?.bool { changed.acceptsMarketing = value }
        var issued: (String, Date)?
        if let value = input["password"] {
            changed.password = try Self.password(value.string, at: ["customer", "password"])
            tokens = tokens.filter { $0.value.customer != index }
            issued = issue(index, at: now)
        }
        customers[index] = changed
        return (changed, issued)
    }

    mutating func changeAddress(
        _ token: String,
        _ id: String?,
        _ input: JSONObject,
        at now: Date
    ) throws(UserError) -> (id: String, fields: JSONObject) {
        let index = try index(token: token, at: now)
        if let id {
            let place = try place(of: id, index, at: ["id"])
            for (name, value) in input.members {
                customers[index].addresses[place].fields[name] = value.isNull ? nil : value
            }
            return customers[index].addresses[place]
        }
        addressCount += 1
        let address = (id: "gid://shopify/MailingAddress/\(addressCount)?model_name=CustomerAddress", fields: input)
        customers[index].addresses.append(address)
        if customers[index].defaultAddress == nil { customers[index].defaultAddress = address.id }
        return address
    }

    mutating func removeAddress(_ token: String, _ id: String, at now: Date) throws(UserError) {
        let index = try index(token: token, at: now)
        customers[index].addresses.remove(at: try place(of: id, index, at: ["id"]))
        if customers[index].defaultAddress == id {
            customers[index].defaultAddress = customers[index].addresses.first?.id
        }
    }

    mutating func setDefaultAddress(_ token: String, _ id: String, at now: Date) throws(UserError) -> Customer {
        let index = try index(token: token, at: now)
        _ = try place(of: id, index, at: ["addressId"])
        customers[index].defaultAddress = id
        return customers[index]
    }

    /// The position of an address in the list of the customer with the index `customer`.
    private func place(of address: String, _ customer: Int, at field: [String]) throws(UserError) -> Int {
        guard let place = customers[customer].addresses.firstIndex(where: { $0.id == address }) else {
            throw UserError("NOT_FOUND", at: field)
        }
        return place
    }
}
