internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC

/// What a configuration comes to once it has been checked: addresses, issuers, keys.
struct ResolvedBoltConfiguration: Sendable {
    let apiBase: HTTPURL
    let issuers: [String]
    let publishableKey: String
    let apiKey: Secret?

    init(_ configuration: BoltProvider.Configuration) throws(IdentityError) {
        apiBase = try Self.base(configuration)
        try Self.check(configuration)
        if let issuers = configuration.issuers {
            self.issuers = issuers
        } else {
            // Whoever replaces the API replaces the keys, and the base is what such a server calls itself by default.
            let replaced = configuration.endpoints.api.map { [BoltEnvironment.withoutTrailingSlashes($0.text)] } ?? []
            issuers = configuration.environment.issuers + replaced
        }
        publishableKey = Self.trimmed(configuration.publishableKey)
        apiKey = configuration.authentication.apiKey.map { Secret(Self.trimmed($0.reveal())) }
        guard !publishableKey.isEmpty, publishableKey.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw Self.invalid(
                "The publishable key is empty or holds what no key holds.",
                "Copy it from Bolt's dashboard."
            )
        }
        guard apiKey.map({ !$0.isEmpty }) ?? true else {
            throw Self.invalid(
                "The API key is empty.",
                "Copy it from Bolt's dashboard; a public client has none at all."
            )
        }
    }

    private static func base(_ configuration: BoltProvider.Configuration) throws(IdentityError) -> HTTPURL {
        guard let base = configuration.endpoints.api ?? (try? HTTPURL(configuration.environment.apiBase)),
            base.query == nil
        else {
            throw invalid("The base of Bolt's API is not a URL without a query.", "Write it as https://api.bolt.com.")
        }
        return base
    }

    private static func check(_ configuration: BoltProvider.Configuration) throws(IdentityError) {
        let endpoints = configuration.endpoints
        let all = [
            try base(configuration), endpoints.discovery, endpoints.authorization, endpoints.token, endpoints.jwks,
        ]
        guard all.allSatisfy({ $0.map { $0.isSecure || configuration.allowsLoopbackHTTP && $0.isLoopback } ?? true })
        else {
            throw invalid(
                "One of Bolt's endpoints is not https.",
                "For tests on one machine, allowsLoopbackHTTP permits http to 127.0.0.1 and [::1]."
            )
        }
        guard configuration.scopes.contains(where: { $0.isIdentical(to: "openid") }) else {
            throw invalid("The scopes do not hold openid.", "Without it Bolt sends no ID token.")
        }
        guard configuration.stateLength.map({ (8...86).contains($0) }) ?? true else {
            throw invalid(
                "The length of state is not between 8 and 86 characters.",
                "Leave it out unless Bolt insists."
            )
        }
        guard configuration.issuers.map({ !$0.isEmpty }) ?? true else {
            throw invalid("The list of issuers is empty.", "Leave it out to accept the environment's.")
        }
    }

    /// A URL below the API's base.
    func endpoint(_ path: String) throws(IdentityError) -> HTTPURL {
        do { return try HTTPURL(BoltEnvironment.withoutTrailingSlashes(apiBase.text) + path) } catch {
            throw Self.invalid("The base of Bolt's API is too long.", "Write it as https://api.bolt.com.")
        }
    }

    /// Endpoints that are configured; those that are not come from the API's base, or from discovery where it is configured.
    func metadata(_ endpoints: BoltProvider.Endpoints) throws(IdentityError) -> ProviderMetadata {
        var metadata = ProviderMetadata(issuer: issuers.first ?? "")
        metadata.authorizationEndpoint = endpoints.authorization
        metadata.tokenEndpoint = endpoints.token
        metadata.keySetURL = endpoints.jwks
        guard endpoints.discovery == nil else { return metadata }
        if endpoints.authorization == nil { metadata.authorizationEndpoint = try endpoint("/v1/oauth/authorize") }
        if endpoints.token == nil { metadata.tokenEndpoint = try endpoint("/v1/oauth/token") }
        if endpoints.jwks == nil { metadata.keySetURL = try endpoint("/v1/oauth/jwks.json") }
        return metadata
    }

    /// A text without the blanks and line ends that come along when a key is copied.
    static func trimmed(_ text: String) -> String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        let bytes = Array(text.utf8).drop(while: isBlank)
        let end = (bytes.lastIndex { !isBlank($0) }).map { $0 + 1 } ?? bytes.startIndex
        return String(decoding: bytes[..<end], as: UTF8.self)
    }

    static func invalid(_ message: String, _ hint: String) -> IdentityError {
        IdentityError(.configuration, .configurationInvalid, message, hint: hint)
    }
}
