internal import FoundationEssentials
internal import IdentityCrypto
internal import IdentityKit

extension SandboxResponse {
    /// Creates an error response in the format of Bolt's endpoints outside OAuth.
    static func boltError(_ code: Int, _ message: String, status: Int) -> SandboxResponse {
        .json(
            [
                "errors": .array([.object(["code": .integer(code), "message": .string(message)])]),
                "result": .object(["success": .bool(false)]),
            ],
            status: status
        )
    }
}

extension SandboxBolt {
    private static let wrongKey = SandboxResponse.boltError(1005, "X-API-Key is missing or wrong.", status: 401)

    func account(_ call: SandboxCall) -> SandboxResponse {
        let request = call.request
        if request.path == "/v1/account/exists" { return accountExists(request) }
        journal.count(\.apiCalls)
        guard request.header("x-api-key") == configuration.apiKey else { return Self.wrongKey }
        guard let bearer = request.header("authorization"), bearer.hasPrefix("Bearer "),
            let found = grant(ofAccessToken: String(bearer.dropFirst(7))),
            let buyer = directory.buyer(number: found.grant.buyer)
        else { return .boltError(18, "Forbidden", status: 403) }
        let canRead = found.token.scopes.contains { $0.hasPrefix("bolt.account.") }
        let canWrite = found.token.scopes.contains("bolt.account.manage")
        switch (request.method, request.path) {
        case ("GET", "/v1/account") where canRead: return .json(Self.account(of: buyer))
        case ("PATCH", "/v1/account/profile") where canWrite: return .json(Self.profile(of: buyer.account))
        case ("GET", "/v1/account"), ("PATCH", "/v1/account/profile"): return .boltError(18, "Forbidden", status: 403)
        default: return .boltError(24, "Not found", status: 404)
        }
    }

    private func accountExists(_ request: SandboxRequest) -> SandboxResponse {
        guard request.header("x-publishable-key") == configuration.publishableKey else {
            return .boltError(1005, "X-Publishable-Key is missing or wrong.", status: 401)
        }
        let known = directory.all.map(\.account)
        let exists: Bool
        if let email = request.queryValue("email") {
            exists = directory.existingBuyer(email: email) != nil
        } else if let hash = request.queryValue("sha256_email") {
            exists = known.contains { Self.hexadecimalHash($0.email.lowercased()) == hash.lowercased() }
        } else if let phone = request.queryValue("phone") {
            exists = known.contains { !phone.isEmpty && $0.phone == phone }
        } else {
            return .json(["code": .integer(25), "message": .string("Missing input")], status: 422)
        }
        return .json(["has_bolt_account": .bool(exists)])
    }

    private static func hexadecimalHash(_ text: String) -> String {
        (try? Digest.sha256(Array(text.utf8))).map { Hexadecimal.encode($0) } ?? ""
    }

    private static func profile(of account: SandboxBuyerAccount) -> JSONObject {
        [
            "first_name": .string(account.firstName), "last_name": .string(account.lastName),
            "name": .string("\(account.firstName) \(account.lastName)"), "email": .string(account.email),
            "phone": .string(account.phone), "metadata": .null,
        ]
    }

    private static func account(of buyer: KnownBuyer) -> JSONObject {
        let account = buyer.account
        let addresses = account.addresses.enumerated().map { index, address in
            JSONValue.object([
                "id": .string("AD\(buyer.number)\(index)"), "street_address1": .string(address.street1),
                "street_address2": .string(address.street2), "street_address3": .null, "street_address4": .null,
                "locality": .string(address.city), "region": .string(address.region),
                "region_code": .string(address.regionCode), "postal_code": .string(address.postalCode),
                "country": .string(address.countryCode), "country_code": .string(address.countryCode),
                "name": .string("\(account.firstName) \(account.lastName)"),
                "first_name": .string(account.firstName), "last_name": .string(account.lastName),
                "company": .string(""), "phone_number": .string(account.phone),
                "email_address": .string(account.email), "priority": .string(index == 0 ? "primary" : "listed"),
                "default": .bool(index == 0),
            ])
        }
        return [
            "has_bolt_account": .bool(true), "profile": .object(profile(of: account)), "addresses": .array(addresses),
            "payment_methods": .array([]),
        ]
    }

    /// Answers requests to all other paths, for example `/v1/testing/shopper/create`, which returns an authorization code without a login.
    func other(_ call: SandboxCall) -> SandboxResponse {
        let request = call.request
        guard request.header("x-api-key") == configuration.apiKey else { return Self.wrongKey }
        switch (request.method, request.path) {
        case ("GET", "/v1/merchant/identifiers"):
            return .json(["publishable_key": .string(configuration.publishableKey)])
        case ("POST", "/v1/testing/shopper/create"):
            let email = "shopper-\(RandomText.hexadecimal(8))@example.com"
            let buyer = directory.buyer(email: email)
            let session = LoginSessions.Session(
                id: RandomText.hexadecimal(32),
                buyer: buyer.number,
                authenticatedAt: clock.now
            )
            let scopes = ["openid", "bolt.account.manage"]
            let grant = Grant(clientID: configuration.publishableKey, scopes: scopes, session)
            let code = issue(code: Self.randomToken(), for: grant)
            return .json([
                "email": .string(email), "phone": .string(buyer.account.phone), "otp_code": .string("000000"),
                "oauth_code": .string(code),
            ])
        default: return .boltError(24, "Not found", status: 404)
        }
    }
}
