internal import IdentityHTTP
internal import IdentityKit

extension SandboxOpenIDClient {
    /// Reads an element of `clients`; a client without `clientSecret` and `jwks` is public.
    init(_ object: JSONObject, _ section: ConfigurationSection) throws(IdentityError) {
        var section = section
        try section.check(members: [
            "clientID", "clientSecret", "jwks", "authentication", "redirectURIs", "postLogoutRedirectURIs",
            "backChannelLogoutURI", "idTokenAlgorithm", "userInfoAlgorithm",
        ])
        self.init()
        clientID = try section.optionalString("clientID") ?? clientID
        clientSecret = try section.optionalString("clientSecret")
        clientKeys = try Self.keys(object["jwks"], section)
        clientAuthentication = try section.optionalChoice("authentication")
        if clientAuthentication == nil, !clientKeys.isEmpty { clientAuthentication = .privateKeyJWT }
        try checkAuthentication(section)
        redirectURIs = try Self.uris("redirectURIs", &section) ?? redirectURIs
        postLogoutRedirectURIs = try Self.uris("postLogoutRedirectURIs", &section)
        backchannelLogoutURI = try section.optionalURL("backChannelLogoutURI", allowsLoopbackHTTP: true)?.text
        algorithm = try section.optionalChoice("idTokenAlgorithm") ?? algorithm
        userInfoAlgorithm = try section.optionalChoice("userInfoAlgorithm")
    }

    private func checkAuthentication(_ section: ConfigurationSection) throws(IdentityError) {
        let hasSecret = clientSecret != nil
        guard !hasSecret || clientKeys.isEmpty else {
            throw section.error("jwks", "cannot be combined with clientSecret")
        }
        switch permittedAuthentication.first {
        case .privateKeyJWT? where clientKeys.isEmpty:
            throw section.error("jwks", "is missing, but authentication is private_key_jwt")
        case .clientSecretBasic? where !hasSecret, .clientSecretPost? where !hasSecret:
            throw section.error("clientSecret", "is missing, but the authentication requires it")
        case .some(.none) where hasSecret || !clientKeys.isEmpty:
            throw section.error("authentication", "is none, but the client has a secret or keys")
        default: break
        }
    }

    private static func keys(
        _ value: JSONValue?,
        _ section: ConfigurationSection
    ) throws(IdentityError) -> [JSONObject] {
        guard let value else { return [] }
        let keys = value["keys"]?.array?.compactMap(\.object) ?? []
        guard !keys.isEmpty, keys.count == value["keys"]?.array?.count, value.object?.members.count == 1 else {
            throw section.error("jwks", "must be a JWK set: { \"keys\": [ … ] }")
        }
        for (index, key) in keys.enumerated() {
            do { _ = try ClientKey(jwk: key) } catch {
                throw section.error("jwks.keys[\(index)]", "cannot be used: \(error.reason)")
            }
        }
        return keys
    }

    private static func uris(
        _ name: String,
        _ section: inout ConfigurationSection
    ) throws(IdentityError) -> [String]? {
        guard let uris = try section.optionalStrings(name) else { return nil }
        for (index, uri) in uris.enumerated() {
            let scheme = uri.utf8.prefix { $0 != UInt8(ascii: ":") }
            guard uri.utf8.allSatisfy(ASCII.isVisible), !scheme.isEmpty, scheme.count < uri.utf8.count,
                !uri.utf8.contains(UInt8(ascii: "#"))
            else { throw section.error("\(name)[\(index)]", "is not an absolute URI without fragment") }
        }
        return uris
    }
}

extension ConfigurationSection {
    mutating func optionalList(_ name: String, of values: [String]) throws(IdentityError) -> [String]? {
        guard let found = try optionalStrings(name) else { return nil }
        guard found.allSatisfy({ text in values.contains { $0.isIdentical(to: text) } }) else {
            throw error(name, "must be a list of values among: \(values.joined(separator: ", "))")
        }
        return found
    }
}
