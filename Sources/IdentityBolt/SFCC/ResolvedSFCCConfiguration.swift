internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC

struct ResolvedSFCCConfiguration: Sendable {
    let storefront: HTTPURL
    let codeExchange: HTTPURL
    let tokenExchange: HTTPURL
    let authorization: HTTPURL
    let publishableKey: String

    /// The issuer of the buyers if no key set is configured to verify their tokens.
    var unverifiedIssuer: String { storefront.origin + SFCCProvider.unverifiedIssuerSuffix }

    init(_ configuration: SFCCConfiguration) throws {
        guard !configuration.usePkce else { throw Self.pkceUnsupported }
        var options = LoginOptions()
        options.complete(by: configuration.loginDefaults)
        try Self.checkProvable(options)
        storefront = try Self.storefront(configuration)
        let endpoints = configuration.endpoints
        codeExchange =
            try endpoints.codeExchange ?? Self.controller(configuration.codeExchangeAction, storefront, configuration)
        tokenExchange =
            try endpoints.tokenExchange ?? Self.controller(configuration.tokenExchangeAction, storefront, configuration)
        authorization = try endpoints.authorization ?? Self.authorization(configuration)
        publishableKey = ResolvedBoltConfiguration.trimmed(configuration.publishableKey ?? "")
        guard publishableKey.utf8.allSatisfy(ASCII.isVisible) else {
            throw ResolvedBoltConfiguration.invalid(
                "publishableKey contains a space, a control character or a character outside ASCII.",
                "Copy publishableKey from Bolt's dashboard."
            )
        }
        let all = [storefront, codeExchange, tokenExchange, authorization, endpoints.jwks, endpoints.api]
        try ResolvedBoltConfiguration.checkScheme(of: all, allowsLoopbackHTTP: configuration.allowsLoopbackHTTP)
        try Self.checkNames(configuration)
        guard !configuration.codeParam.isEmpty, !configuration.stateParam.isEmpty,
            !configuration.codeParam.isIdentical(to: configuration.stateParam)
        else {
            throw ResolvedBoltConfiguration.invalid(
                "`codeParam` and `stateParam` of the SFCC provider must be two different, non-empty names.",
                "Set codeParam and stateParam to the query items that the storefront's controller reads, or remove them."
            )
        }
        try ResolvedBoltConfiguration.check(stateLength: configuration.stateLength)
    }

    // With a key set, `issuers` is required, because the keys may also sign tokens of other issuers.
    private static func checkNames(_ configuration: SFCCConfiguration) throws(IdentityError) {
        let names = [("issuers", configuration.issuers), ("audiences", configuration.audiences)]
        for (member, list) in names where list.map({ $0.isEmpty || $0.contains(where: \.isEmpty) }) ?? false {
            throw ResolvedBoltConfiguration.invalid(
                "`\(member)` of the SFCC provider is an empty list or contains an empty text.",
                "Write the values that the SFCC storefront's tokens have, or remove \(member)."
            )
        }
        guard !(configuration.issuers ?? []).contains(where: { $0.utf8.contains(UInt8(ascii: "#")) }) else {
            throw ResolvedBoltConfiguration.invalid(
                "`issuers` contains `#`, which marks the issuers of unverified buyers.",
                "Remove each entry with # from issuers: the SDK refuses every token whose iss contains #."
            )
        }
        if configuration.endpoints.jwks == nil {
            guard configuration.issuers == nil, configuration.audiences == nil else {
                throw ResolvedBoltConfiguration.invalid(
                    "`issuers` and `audiences` have no effect without `endpoints.jwks`.",
                    "Set endpoints.jwks to the address of the keys of the SFCC storefront's tokens, or remove issuers and audiences."
                )
            }
        } else if configuration.issuers == nil {
            throw ResolvedBoltConfiguration.invalid(
                "`issuers` is missing although `endpoints.jwks` is set.",
                "Set issuers to the iss of the SFCC storefront's tokens, because the key set does not prove who issued a token."
            )
        }
    }

    /// Refuses `max_age` and `acr_values`, because the storefront's token does not prove that Bolt has respected them.
    static func checkProvable(_ options: LoginOptions) throws(IdentityError) {
        guard options.maximumAge == nil, options.authenticationContexts.isEmpty else {
            throw IdentityError(
                configuration:
                    "A login with SFCC cannot require a maximum age or an authentication context: SFCC's token does not prove them.",
                hint:
                    "Remove maxAge and acrValues (in Swift: maximumAge and authenticationContexts of LoginOptions and loginDefaults), and "
                    + "require no step-up of a session of this provider.",
                reference: "OpenID Connect Core section 3.1.2.1"
            )
        }
    }

    static var pkceUnsupported: IdentityError {
        IdentityError(
            configuration: "PKCE cannot be used with SFCC.",
            hint: "Set usePkce to false: the SFCC backend exchanges the code and does not know the verifier.",
            reference: "help.bolt.com/developers/sdks/ios-swift/sso-login, SFCC Integration"
        )
    }

    private static func storefront(_ configuration: SFCCConfiguration) throws(IdentityError) -> HTTPURL {
        let host = configuration.host
        if configuration.allowsLoopbackHTTP, let local = try? HTTPURL("http://\(host)"), local.isLoopback,
            isBare(local, host)
        {
            return local
        }
        guard let url = try? HTTPURL("https://\(host)"), isBare(url, host) else {
            throw ResolvedBoltConfiguration.invalid(
                "`host` of the SFCC provider is not a host name.",
                "Set host to the host name, with :port if needed, without https:// and path."
            )
        }
        return url
    }

    private static func isBare(_ url: HTTPURL, _ host: String) -> Bool {
        url.query == nil && !host.utf8.contains(UInt8(ascii: "/"))
    }

    private static func controller(
        _ action: String,
        _ storefront: HTTPURL,
        _ configuration: SFCCConfiguration
    ) throws(IdentityError) -> HTTPURL {
        var base =
            configuration.controllerBasePath
            ?? "/on/demandware.store/Sites-\(FormEncoding.escape(configuration.siteID))-Site/"
            + FormEncoding.escape(configuration.locale)
        base = BoltEnvironment.withoutTrailingSlashes(base)
        if let first = base.utf8.first, first != UInt8(ascii: "/") { base = "/" + base }
        let hasSite = configuration.controllerBasePath != nil || !configuration.siteID.isEmpty
        guard hasSite, !action.isEmpty, let url = try? storefront.replacing(path: "\(base)/\(action)") else {
            throw ResolvedBoltConfiguration.invalid(
                "The path of an SFCC controller cannot be built from siteID (or controllerBasePath), locale and the controller's name.",
                "Set siteID or controllerBasePath. Then compare siteID or controllerBasePath, locale, codeExchangeAction and "
                    + "tokenExchangeAction with the URL of a controller in the storefront."
            )
        }
        return url
    }

    private static func authorization(_ configuration: SFCCConfiguration) throws(IdentityError) -> HTTPURL {
        let base = BoltEnvironment.withoutTrailingSlashes(
            configuration.endpoints.api?.text ?? configuration.environment.apiBase
        )
        guard let url = try? HTTPURL(base + BoltEnvironment.sfccAuthorizationPath), url.query == nil else {
            throw ResolvedBoltConfiguration.invalidBase
        }
        return url
    }
}
