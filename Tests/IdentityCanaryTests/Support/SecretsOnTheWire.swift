import IdentityCrypto
import IdentityHTTP
import IdentityKit
import IdentityTesting

/// Finds the secrets in HTTP messages, by the fields that the protocols define.
enum SecretsOnTheWire {
    private static let names: Set<String> = [
        "access_token", "assertion", "authorization_code", "client_assertion", "client_secret", "code", "code_verifier",
        "customerAccessToken",
        "device_code", "id_token", "id_token_hint", "logout_token", "nonce", "refresh_token", "request", "request_uri",
        "state",
        "subject_token", "token", "user_code", "checkoutUrl",
    ]
    private static let headers = [
        "Authorization", "X-API-Key", "Cookie", "Set-Cookie", "DPoP", "Shopify-Storefront-Private-Token",
        "X-Shopify-Storefront-Access-Token", "Shopify-Storefront-Buyer-IP",
    ]

    static func learn(_ request: HTTPRequest, _ canary: SecretCanary) {
        values(of: request).forEach { canary.watch(Secret($0)) }
    }

    static func learn(_ response: HTTPResponse, _ canary: SecretCanary) {
        var found: [String] = []
        collect(response.headers, into: &found)
        collect(response.body, into: &found)
        if let location = response.headers["Location"], let url = try? HTTPURL(location) { collect(url, into: &found) }
        found.forEach { canary.watch(Secret($0)) }
    }

    /// Makes the canary search for the secrets of a URL, which are in its parameters.
    static func learn(_ url: String, _ canary: SecretCanary) {
        guard let url = try? HTTPURL(url) else { return }
        var found: [String] = []
        collect(url, into: &found)
        found.forEach { canary.watch(Secret($0)) }
    }

    static func values(of request: HTTPRequest) -> [String] {
        var found: [String] = []
        collect(request.url, into: &found)
        collect(request.headers, into: &found)
        collect(request.body ?? [], into: &found)
        return found
    }

    private static func collect(_ url: HTTPURL, into found: inout [String]) {
        collect(form: Array((url.query ?? "").utf8), into: &found)
    }

    private static func collect(_ fields: HTTPHeaders, into found: inout [String]) {
        for name in headers {
            for value in fields.values(for: name) {
                // A cookie value follows its name, credentials follow their scheme.
                let isCookie = name.hasSuffix("ookie")
                let isProof =
                    name == "Authorization" && ["Basic ", "Bearer ", "DPoP "].contains { value.hasPrefix($0) }
                let parts =
                    isCookie
                    ? value.split(separator: ";").compactMap {
                        $0.split(separator: "=", maxSplits: 1).dropFirst().first
                    }
                    .map(String.init)
                    : [isProof ? String(value.drop { $0 != " " }.dropFirst()) : value]
                found += parts
                for part in parts where value.hasPrefix("Basic ") {
                    let plain = String(decoding: Base64.decode(part) ?? [], as: UTF8.self)
                    found += plain.split(separator: ":").dropFirst().map(String.init)
                }
            }
        }
    }

    private static func collect(_ body: [UInt8], into found: inout [String]) {
        if let value = try? JSONValue(parsing: body) {
            collect(value, named: "", into: &found)
        } else {
            collect(form: body, into: &found)
        }
    }

    private static func collect(form: [UInt8], into found: inout [String]) {
        for field in FormEncoding.decode(form) ?? [] where names.contains(field.name) { found.append(field.value) }
    }

    private static func collect(_ value: JSONValue, named name: String, into found: inout [String]) {
        switch value {
        case .string(let text):
            // In JSON, `code` is an error code.
            if names.contains(name), name != "code" { found.append(text) }
            if text.hasPrefix("gid://shopify/Cart/") {
                found += text.dropFirst(19).split(separator: "?key=").map(String.init)
            }
        case .array(let elements): for element in elements { collect(element, named: name, into: &found) }
        case .object(let object):
            for member in object.members { collect(member.value, named: member.name, into: &found) }
        case .null, .bool, .number: break
        }
    }
}
