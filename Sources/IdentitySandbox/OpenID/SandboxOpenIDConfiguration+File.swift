internal import FoundationEssentials
internal import IdentityHTTP
public import IdentityKit

extension SandboxOpenIDConfiguration {
    /// Reads the configuration from a file, as ``init(json:)`` does.
    ///
    /// - Parameter path: The path of the file.
    /// - Throws: `IdentityError` when the file cannot be read or has a wrong member.
    public init(contentsOf path: String) throws(IdentityError) {
        let contents: Data
        do { contents = try Data(contentsOf: URL(filePath: path)) } catch {
            throw IdentityError(
                configuration: "The configuration of the OpenID provider could not be read: \(path)",
                hint: "Check the path, and that this process may read the file.",
                cause: (error as? CocoaError)?.underlying ?? error
            )
        }
        try self.init(json: Array(contents))
    }

    /// Reads the file of `identity-lab sandbox --openid FILE`: a JSON object whose members are all optional.
    ///
    /// In contrast to ``init()``, pushed authorization requests, DPoP and revocation are on unless a member turns them off, and device
    /// logins are always on. `Documentation/Using/Sandbox.md` describes the members.
    ///
    /// ```swift
    /// configuration.openID = try SandboxOpenIDConfiguration(json: Array(#"{ "dpop": "required" }"#.utf8))
    /// ```
    ///
    /// - Parameter json: The contents of the file.
    /// - Throws: `IdentityError` if the contents are not a JSON object, or for a wrong member, which the message names.
    public init(json: [UInt8]) throws(IdentityError) {
        do throws(IdentityError) {
            let value: JSONValue
            do { value = try JSONValue(parsing: json) } catch {
                throw Self.error("The configuration of the OpenID provider could not be read as JSON: \(error)")
            }
            guard let object = value.object else {
                throw Self.error("The configuration of the OpenID provider must be a JSON object.")
            }
            try self.init(object, ConfigurationSection(path: "", object: object, environmentVariables: [:]))
        } catch {
            throw error.referring(to: "\"The OpenID provider\" in Documentation/Using/Sandbox.md")
        }
    }

    private static func error(_ message: String) -> IdentityError {
        IdentityError(configuration: message, hint: "Write an object such as { \"dpop\": \"off\" }.")
    }

    private init(_ object: JSONObject, _ file: ConfigurationSection) throws(IdentityError) {
        var file = file
        try file.check(members: [
            "clients", "issuer", "pushedAuthorization", "dpop", "dpopNonce", "requiresPKCE",
            "offlineAccessNeedsConsent", "refreshNeedsOfflineAccess", "revocation", "rotation", "responseTypes",
            "responseModes", "acrValues", "claimsIn", "lifetimes",
        ])
        self.init()
        supportsDeviceAuthorization = true
        if let clients = try Self.clients(object, file) {
            client = clients[0]
            furtherClients = Array(clients.dropFirst())
        }
        issuer = try Self.issuer(&file)
        pushedRequests = try file.optionalChoice("pushedAuthorization") ?? .accepted
        dpop = try file.optionalChoice("dpop") ?? .accepted
        dpopNonce = try file.bool("dpopNonce", default: false) ? .demanded : .none
        requiresPKCE = try file.bool("requiresPKCE", default: false)
        offlineAccessNeedsConsent = try file.bool("offlineAccessNeedsConsent", default: false)
        refreshNeedsOfflineAccess = try file.bool("refreshNeedsOfflineAccess", default: false)
        supportsRevocation = try file.bool("revocation", default: true)
        try readRotation(object, &file)
        let servedTypes = ["code", "id_token", "code id_token"]
        responseTypes = try file.optionalList("responseTypes", of: servedTypes) ?? responseTypes
        responseModes = try file.optionalList("responseModes", of: responseModes) ?? responseModes
        acrValues = try file.optionalStrings("acrValues") ?? []
        claimsIn = try file.optionalChoice("claimsIn") ?? .userInfo
        try readLifetimes(&file)
    }

    private static func issuer(_ file: inout ConfigurationSection) throws(IdentityError) -> String? {
        guard let url = try file.optionalURL("issuer", allowsLoopbackHTTP: true) else { return nil }
        guard let text = try file.optionalString("issuer"), text.isIdentical(to: url.origin) else {
            let problem = "must be an origin such as https://id.example, without path, query and trailing slash"
            throw file.error("issuer", problem)
        }
        return text
    }

    private mutating func readRotation(
        _ object: JSONObject,
        _ file: inout ConfigurationSection
    ) throws(IdentityError) {
        switch object["rotation"] {
        case nil, .string("always"): tokenReuse = .revokes
        case .string("never"): rotatesRefreshTokens = false
        default:
            var section = object["rotation"]?.object == nil ? nil : try file.optionalSection("rotation")
            try section?.check(members: ["graceSeconds"])
            guard let seconds = try section?.optionalInteger("graceSeconds", in: 1...86_400) else {
                throw file.error("rotation", "must be \"always\", \"never\" or { \"graceSeconds\": N }")
            }
            tokenReuse = .grace(.seconds(seconds))
        }
    }

    private mutating func readLifetimes(_ file: inout ConfigurationSection) throws(IdentityError) {
        guard var section = try file.optionalSection("lifetimes") else { return }
        try section.check(members: ["code", "accessToken", "idToken", "refreshToken"])
        let range = 1...31_536_000
        authorizationCodeLifetime = try section.optionalInteger("code", in: range).map { .seconds($0) }
        accessTokenLifetime = try section.optionalInteger("accessToken", in: range).map { .seconds($0) }
        idTokenLifetime = try section.optionalInteger("idToken", in: range).map { .seconds($0) } ?? idTokenLifetime
        refreshTokenLifetime = try section.optionalInteger("refreshToken", in: range).map { .seconds($0) }
    }

    private static func clients(
        _ object: JSONObject,
        _ file: ConfigurationSection
    ) throws(IdentityError) -> [SandboxOpenIDClient]? {
        guard let value = object["clients"] else { return nil }
        let values = value.array?.compactMap(\.object) ?? []
        guard !values.isEmpty, values.count == value.array?.count else {
            throw file.error("clients", "must be a list of objects with at least one client")
        }
        var clients: [SandboxOpenIDClient] = []
        for (index, object) in values.enumerated() {
            let section = ConfigurationSection(path: "clients[\(index)]", object: object, environmentVariables: [:])
            let client = try SandboxOpenIDClient(object, section)
            guard !clients.contains(where: { $0.clientID.isIdentical(to: client.clientID) }) else {
                throw section.error("clientID", "is the id of another client too")
            }
            clients.append(client)
        }
        return clients
    }
}
