internal import IdentityHTTP
internal import IdentityKit

/// Reads answers of the Customer Account API: bytes in, a customer or an error out.
enum CustomerResponse {
    /// The customer of an answer.
    static func customer(in response: HTTPResponse) throws(IdentityError) -> JSONObject {
        let body = try? JSONValue(parsing: response.body)
        let errors = Self.errors(body?["errors"])
        guard response.status == 200 else { throw refusal(response, errors) }
        // Fields of protected data may be refused one by one beside a customer that is there.
        if let customer = body?["data"]?["customer"]?.object { return customer }
        guard body?.object != nil else {
            throw make(
                response,
                errors,
                .retryLater,
                .unexpectedResponse,
                "did not answer with JSON",
                "Try again in a while."
            )
        }
        throw failure(response, errors)
    }

    /// The buyer, with what the customer record adds; what it withholds stays as it was known.
    static func buyer(_ customer: JSONObject, knownAs known: Buyer) -> Buyer {
        func text(_ value: JSONValue?) -> String? { (value?.string).flatMap { $0.isEmpty ? nil : $0 } }
        /// The API does not say whether a contact is verified; the ID token may have.
        func contact(_ value: String?, _ known: Buyer.Contact?) -> Buyer.Contact? {
            guard let value, known.map({ !$0.value.isIdentical(to: value) }) ?? true else { return known }
            return Buyer.Contact(value, isVerified: false)
        }
        var buyer = known
        buyer.email = contact(text(customer["emailAddress"]?["emailAddress"]), known.email)
        buyer.phone = contact(text(customer["phoneNumber"]?["phoneNumber"]), known.phone)
        buyer.givenName = text(customer["firstName"]) ?? known.givenName
        buyer.familyName = text(customer["lastName"]) ?? known.familyName
        buyer.displayName = text(customer["displayName"]) ?? known.displayName
        return buyer
    }

    private struct GraphError {
        var message: String?
        var code: String?
    }

    /// Shopify's `errors` is a list of objects, one object, or a text.
    private static func errors(_ value: JSONValue?) -> [GraphError] {
        switch value {
        case .array(let elements): elements.flatMap { errors($0) }
        case .object(let object):
            [
                GraphError(
                    message: object["message"]?.string ?? object.members.first?.value.string,
                    code: object["extensions"]?["code"]?.string
                )
            ]
        case .string(let text): [GraphError(message: text)]
        default: []
        }
    }

    /// What an HTTP status other than 200 means.
    private static func refusal(_ response: HTTPResponse, _ errors: [GraphError]) -> IdentityError {
        switch response.status {
        case 401:
            make(
                response,
                errors,
                .retryLater,
                .accessTokenRefused,
                "refused the access token",
                "Renew it; if that does not help, check the scopes, and the registered origin of a public web client."
            )
        case 429, 500...:
            make(
                response,
                errors,
                .retryLater,
                .providerUnavailable,
                "cannot answer at the moment",
                "Try again in a while."
            )
        case 300..<400:
            make(
                response,
                errors,
                .configuration,
                .redirectRefused,
                "answered with a redirect, which was not followed",
                "Check shopID and endpoints.api."
            )
        case 402, 423:
            make(
                response,
                errors,
                .configuration,
                .shopUnavailable,
                "says that the shop is frozen or locked",
                "Look at the shop's admin."
            )
        case 403:
            make(
                response,
                errors,
                .configuration,
                .requestBlocked,
                "let the request not through",
                "Look at the shop's admin: it may be blocked or closed. Shopify also blocks machines and User-Agents."
            )
        case 404:
            make(
                response,
                errors,
                .configuration,
                .unexpectedResponse,
                "is not at this address",
                "Check shop, apiVersion and endpoints.api, and that customer accounts are enabled."
            )
        default:
            make(
                response,
                errors,
                .rejected,
                .unexpectedResponse,
                "refused the request",
                "What it said is in the error's provider answer."
            )
        }
    }

    /// What errors without a customer mean; by their code, never by their words.
    private static func failure(_ response: HTTPResponse, _ errors: [GraphError]) -> IdentityError {
        let codes = errors.compactMap(\.code)
        func has(_ code: String) -> Bool { codes.contains { $0.isIdentical(to: code) } }
        if has("THROTTLED") || has("INTERNAL_SERVER_ERROR") {
            return make(
                response,
                errors,
                .retryLater,
                .providerUnavailable,
                "cannot answer at the moment",
                "Try again in a while."
            )
        }
        if has("SHOP_INACTIVE") {
            return make(
                response,
                errors,
                .configuration,
                .shopUnavailable,
                "says that the shop is not active",
                "Look at the shop's admin."
            )
        }
        if has("ACCESS_DENIED") {
            return make(
                response,
                errors,
                .rejected,
                .insufficientScope,
                "does not let this client see the customer",
                "Ask for customer-account-api:full, and for access to protected customer data."
            )
        }
        return make(
            response,
            errors,
            .rejected,
            .unexpectedResponse,
            "named no customer",
            "What it said is in the error's provider answer."
        )
    }

    private static func make(
        _ response: HTTPResponse,
        _ errors: [GraphError],
        _ kind: IdentityError.Kind,
        _ code: IdentityError.Code,
        _ problem: String,
        _ hint: String
    ) -> IdentityError {
        IdentityError(
            kind,
            code,
            "Shopify's Customer Account API \(problem) (HTTP \(response.status)).",
            hint: hint,
            reference: "Customer Account API reference, status and error codes",
            retryAfter: response.headers.retryAfter,
            providerAnswer: IdentityError.ProviderAnswer(
                error: errors.lazy.compactMap(\.code).first,
                errorDescription: errors.lazy.compactMap(\.message).first,
                status: response.status,
                traceID: response.headers["X-Request-Id"]
            )
        )
    }
}
