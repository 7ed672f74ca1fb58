internal import IdentityHTTP
internal import IdentityKit

/// The values of `preset` in the configuration file.
///
/// A new preset also needs a function in `OpenIDClient+Presets.swift`, its members in `OpenIDProviderFactory` and in
/// `Documentation/configuration.schema.json`, a row in `Documentation/Operating/Configuration.md`, and a section in
/// `Documentation/Using/Presets.md`.
enum PresetName: String, CaseIterable {
    case google, apple, microsoft, auth0, okta, keycloak, shop

    init?(_ section: inout ConfigurationSection) throws(IdentityError) {
        guard let name = try section.optionalString("preset") else { return nil }
        guard let preset = Self(rawValue: name) else {
            let known = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw section.error(
                "preset",
                "has an unknown value",
                hint: "Set preset to one of \(known). For another provider, remove preset and set issuer."
            )
        }
        guard !section.memberNames.contains("issuer") else {
            throw section.error(
                "issuer",
                "must not be set, because preset sets the issuer",
                hint: "If the preset is right, remove issuer. Otherwise remove preset."
            )
        }
        self = preset
    }

    /// Whether the client sends `clientSecret` in the body if the entry has no `clientAuthentication`.
    var postsSecret: Bool {
        switch self {
        case .apple, .microsoft, .auth0, .shop: true
        case .google, .okta, .keycloak: false
        }
    }

    func configuration(
        named name: String,
        clientID: String,
        from section: inout ConfigurationSection
    ) throws(IdentityError) -> OpenIDClient.Configuration {
        switch self {
        case .google: return .google(name: name, clientID: clientID)
        case .shop: return .shop(name: name, clientID: clientID)
        case .auth0: return .auth0(name: name, domain: try Self.domain(&section), clientID: clientID)
        case .okta:
            let domain = try Self.domain(&section)
            let server = try Self.segment("authorizationServer", &section) ?? "default"
            return .okta(
                name: name,
                domain: domain,
                authorizationServer: server == "org" ? nil : server,
                clientID: clientID
            )
        case .keycloak:
            let server = try section.string("server")
            guard let realm = try Self.segment("realm", &section) else { throw section.error("realm", "is missing") }
            return .keycloak(name: name, server: server, realm: realm, clientID: clientID)
        case .microsoft:
            guard let directory = MicrosoftDirectory(try section.string("directory")) else {
                throw section.error(
                    "directory",
                    "is neither a tenant id nor a known name",
                    hint:
                        "Set directory to the id of the Microsoft directory (tenant), or to organizations, consumers or common."
                )
            }
            guard let authority = try section.optionalString("authority") else {
                return .microsoft(name: name, clientID: clientID, directory: directory)
            }
            guard HTTPURL(serializedOrigin: authority) != nil else {
                throw section.error(
                    "authority",
                    "is not an origin",
                    hint:
                        "Set authority to scheme and host only, in lower case, without a final slash, such as "
                        + "https://login.microsoftonline.us."
                )
            }
            return .microsoft(name: name, clientID: clientID, directory: directory, authority: authority)
        case .apple:
            let teamID = try section.string("teamID")
            let keyID = try section.string("clientKeyID")
            let text = try section.secret("clientKey")
            do {
                let key = try ClientKey(text, keyID: keyID, algorithm: "ES256")
                return .apple(name: name, clientID: clientID, teamID: teamID, key: key)
            } catch {
                throw section.error(
                    "clientKey",
                    "cannot be used",
                    hint: "\(error.message) Use the .p8 file that Apple issued for this clientKeyID, without changes."
                )
            }
        }
    }

    private static func domain(_ section: inout ConfigurationSection) throws(IdentityError) -> String {
        let domain = try section.string("domain")
        guard HTTPURL(serializedOrigin: "https://\(domain)") != nil else {
            throw section.error(
                "domain",
                "is not a domain name in lower case",
                hint: "Set domain to the domain name alone, in lower case, without https:// and path."
            )
        }
        return domain
    }

    /// The value of a member, which must be one segment of a path; nil if the entry does not have the member.
    private static func segment(
        _ member: String,
        _ section: inout ConfigurationSection
    ) throws(IdentityError) -> String? {
        guard let text = try section.optionalString(member) else { return nil }
        guard
            text.utf8.allSatisfy({ ASCII.isLetter($0) || ASCII.isDigit($0) || "-._~%".utf8.contains($0) }),
            text != ".", text != ".."
        else {
            throw section.error(
                member,
                "must consist of letters, digits, - . _ ~ and % escapes, and must not be . or ..",
                hint:
                    "Copy \(member) from the provider's URL. Write every other character as % and two hexadecimal digits."
            )
        }
        return text
    }
}
