internal import IdentityHTTP
internal import IdentityKit

extension OpenIDClient {
    /// The address of the metadata document (OpenID Connect Discovery 1.0 section 4); nil without discovery.
    static func discoveryURL(_ configuration: Configuration) throws(IdentityError) -> HTTPURL? {
        guard configuration.discovery.isEnabled else { return nil }
        let member = configuration.issuerMembers.first ?? "issuer"
        func invalid(_ problem: String, hint: String) -> IdentityError {
            .invalidMember(
                member,
                ofProvider: configuration.name,
                problem,
                hint: hint,
                reference: "OpenID Connect Discovery 1.0 section 3"
            )
        }
        guard let issuer = try? HTTPURL(configuration.issuer), issuer.query == nil else {
            throw invalid(
                "is not an https URL without user information, query and fragment",
                hint: member == "issuer"
                    ? "Set issuer to the provider's issuer identifier, byte for byte."
                    : "Correct \(member): with this value, the issuer would be \(configuration.issuer)."
            )
        }
        guard issuer.isSecure(orLoopback: configuration.allowsLoopbackHTTP) else {
            let hint = IdentityError.httpsHint + " The name localhost is not permitted."
            throw invalid("is a plain http URL", hint: hint)
        }
        if let url = configuration.endpoints.discovery { return url }
        let path = issuer.path.utf8.last == UInt8(ascii: "/") ? String(issuer.path.dropLast()) : issuer.path
        do { return try issuer.replacing(path: path + "/.well-known/openid-configuration") } catch {
            throw invalid(
                "gives a discovery URL of more than 8 KiB",
                hint:
                    "Correct \(member). If its value is right, set endpoints.discovery to the provider's discovery URL."
            )
        }
    }
}
