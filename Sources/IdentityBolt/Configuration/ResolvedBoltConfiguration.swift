internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC

struct ResolvedBoltConfiguration: Sendable {
    let apiBase: HTTPURL
    let issuers: [String]
    let publishableKey: String
    let apiKey: Secret?

    init(_ configuration: BoltProvider.Configuration) throws(IdentityError) {
        let endpoints = configuration.endpoints
        guard let apiBase = endpoints.api ?? (try? HTTPURL(configuration.environment.apiBase)), apiBase.query == nil
        else { throw Self.invalidBase }
        self.apiBase = apiBase
        try Self.checkScheme(
            of: [apiBase, endpoints.discovery, endpoints.authorization, endpoints.token, endpoints.jwks],
            allowsLoopbackHTTP: configuration.allowsLoopbackHTTP
        )
        guard configuration.scopes.contains(where: { $0.isIdentical(to: "openid") }) else {
            throw Self.invalid(
                "The scopes of the Bolt configuration do not contain openid.",
                "Add openid to scopes: without openid, Bolt sends no ID token."
            )
        }
        try Self.check(stateLength: configuration.stateLength)
        issuers = configuration.issuers ?? Self.issuers(of: configuration.environment, endpoints.api)
        guard !issuers.isEmpty else {
            throw Self.invalid(
                "`issuers` of the Bolt configuration or of its custom environment is an empty list.",
                "Remove issuers, or list the values of iss that Bolt's ID tokens have."
            )
        }
        publishableKey = Self.trimmed(configuration.publishableKey)
        apiKey = configuration.authentication.apiKey.map { Secret(Self.trimmed($0.reveal())) }
        guard !publishableKey.isEmpty, publishableKey.utf8.allSatisfy(ASCII.isVisible) else {
            throw Self.invalid(
                "publishableKey is empty or contains a space, a control character or a character outside ASCII.",
                "Copy publishableKey from Bolt's dashboard."
            )
        }
        guard apiKey?.isEmpty != true else {
            throw Self.invalid(
                "`apiKey` of the Bolt configuration is empty.",
                "Copy apiKey from Bolt's dashboard. If the client is public, remove apiKey and set usePkce to true."
            )
        }
    }

    static func issuers(of environment: BoltEnvironment, _ api: HTTPURL?) -> [String] {
        environment.issuers + (api.map { [BoltEnvironment.withoutTrailingSlashes($0.text)] } ?? [])
    }

    static var invalidBase: IdentityError {
        invalid(
            "The base URL of Bolt's API is not a valid URL, has a query, or is too long.",
            "Write endpoints.api, or apiBase of a custom environment, in the form https://api.bolt.com."
        )
    }

    static func check(stateLength: Int?) throws(IdentityError) {
        guard stateLength.map({ (8...86).contains($0) }) ?? true else {
            throw invalid(
                "`stateLength` of a login at Bolt must be a number of characters from 8 to 86.",
                "If Bolt requires a certain length of the state, set stateLength to this length. Otherwise remove stateLength."
            )
        }
    }

    static func checkScheme(of urls: [HTTPURL?], allowsLoopbackHTTP: Bool) throws(IdentityError) {
        for url in urls.compactMap(\.self) where !url.isSecure(orLoopback: allowsLoopbackHTTP) {
            throw invalid(
                "The endpoint \(url) of the Bolt configuration is not https.",
                IdentityError.httpsHint
            )
        }
    }

    func endpoint(_ path: String) throws(IdentityError) -> HTTPURL {
        do { return try HTTPURL(BoltEnvironment.withoutTrailingSlashes(apiBase.text) + path) } catch {
            throw Self.invalidBase
        }
    }

    /// The configured endpoints; without discovery, the endpoints that are missing are built from the API's base URL.
    func endpoints(_ configured: BoltProvider.Endpoints) throws -> OpenIDClient.Endpoints {
        func url(_ path: String) throws -> HTTPURL? { try configured.discovery == nil ? endpoint(path) : nil }
        var endpoints = OpenIDClient.Endpoints()
        endpoints.discovery = configured.discovery
        endpoints.authorization = try configured.authorization ?? url(BoltEnvironment.authorizationPath)
        endpoints.token = try configured.token ?? url(BoltEnvironment.tokenPath)
        endpoints.jwks = try configured.jwks ?? url(BoltEnvironment.keySetPath)
        return endpoints
    }

    var headers: [(name: String, value: Secret)] {
        apiKey.map { [("X-API-Key", $0), ("X-Publishable-Key", Secret(publishableKey))] } ?? []
    }

    static func trimmed(_ text: String) -> String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        let bytes = Array(text.utf8).drop(while: isBlank)
        let end = (bytes.lastIndex { !isBlank($0) }).map { $0 + 1 } ?? bytes.startIndex
        return String(decoding: bytes[..<end], as: UTF8.self)
    }

    static func invalid(_ message: String, _ hint: String) -> IdentityError {
        IdentityError(
            configuration: message,
            hint: hint,
            reference: "help.bolt.com/developers/bolt-oauth"
        )
    }
}
