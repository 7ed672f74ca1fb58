internal import IdentityHTTP
internal import IdentityKit

extension SignInRoutes {
    /// Begins a sign-in: sets the login cookie and redirects the browser to the provider.
    func login(in context: WebContext, _ begin: () async throws -> StartedLogin) async throws -> WebResponse {
        guard !context.request.isForPartOfPage else { throw context.requestRefused }
        if let pause = limiter.takeAttempt(of: context.request.clientAddress) {
            return page(.tooManySignIns(retryAfter: pause))
        }
        // `WebContext.dispatch` has already set this scope for the routes, but not for a login that `requireSession` begins.
        let login = try await recordedBrowser(of: context.request).scope { try await begin() }
        for surplus in cookies.excessLogins(in: context.request, keeping: configuration.maximumOpenLogins - 1) {
            context.set(surplus)
        }
        context.set(try cookies.login(login))
        return try redirect(to: login.url.text)
    }

    func recordedBrowser(of request: WebRequest) -> BuyerBrowser {
        let permitted = configuration.recordedBrowserDetails
        return BuyerBrowser(
            address: permitted.contains(.address) ? request.clientAddress : nil,
            userAgent: permitted.contains(.userAgent) ? request.headers["User-Agent"] : nil
        )
    }

    func linkOptions(_ request: WebRequest) -> LoginOptions {
        var options = configuration.loginOptions
        options.returnPath = request.queryValue("return").flatMap { withoutRoutes($0) }
        if let locale = linked(.locale, request) { options.locale = locale }
        if let hint = linked(.loginHint, request) { options.loginHint = hint }
        return options
    }

    private func linked(_ parameter: LinkParameter, _ request: WebRequest) -> String? {
        guard configuration.linkParameters.contains(parameter), let value = request.queryValue(parameter.rawValue),
            value.utf8.count <= 256
        else { return nil }
        return value
    }

    // MARK: The page for choosing a provider, and sign-ins that a provider begins

    func choose(in context: WebContext) async throws -> WebResponse {
        let request = context.request
        guard request.method != .post else { return try repeated(request) }
        if !configuration.thirdPartyLogins.isEmpty, let issuer = request.queryValue("iss") {
            return try await thirdPartyLogin(from: issuer, in: context)
        }
        let path = request.queryValue("return")
        let names = sessions.providerNames
        if names.count == 1, let only = names.first {
            return try redirect(to: table.loginPath(of: only, returningTo: path))
        }
        let providers = try names.map { try sessions.descriptor(of: $0) }
        let choices = providers.map { provider in
            // If two buttons had the same text, the buyer could not distinguish them. So the provider's name is added, as in "Shop (eu)".
            // It is also added if the display name equals the longer text of another provider, such as "Shop (eu)".
            let isUnique = providers.allSatisfy { other in
                other.name.isIdentical(to: provider.name)
                    || !provider.displayName.isIdentical(to: other.displayName)
                        && !provider.displayName.isIdentical(to: Self.textWithName(of: other))
            }
            return SignInPage.Choice(
                provider: provider.name,
                kind: provider.kind,
                displayName: isUnique ? provider.displayName : Self.textWithName(of: provider),
                link: table.loginPath(of: provider.name, returningTo: path)
            )
        }
        return page(.chooseProvider(choices))
    }

    private static func textWithName(of provider: ProviderDescriptor) -> String {
        "\(provider.displayName) (\(provider.name))"
    }

    /// Redirects a POST from a provider's site to the same route with GET, because the browser sends no `Lax` cookies with this POST.
    private func repeated(_ request: WebRequest) throws -> WebResponse {
        let fields = ["iss", "target_link_uri", "login_hint"].compactMap { name in
            request.formValue(name).map { (name: name, value: $0) }
        }
        return try redirect(to: table.loginPath + "?" + String(decoding: FormEncoding.encode(fields), as: UTF8.self))
    }

    /// Begins a sign-in for a provider that has sent the browser here (OpenID Connect Core section 4).
    private func thirdPartyLogin(from issuer: String, in context: WebContext) async throws -> WebResponse {
        let known = configuration.thirdPartyLogins.first { $0.key.isIdentical(to: issuer) }
        guard let known else { return page(.signInRefused) }
        var options = configuration.loginOptions
        options.returnPath = context.request.queryValue("target_link_uri").flatMap { withoutRoutes(withoutOrigin($0)) }
        if let hint = context.request.queryValue("login_hint"), hint.utf8.count <= 256 { options.loginHint = hint }
        return try await login(in: context) { try await sessions.begin(known.value, options: options) }
    }

    /// Returns `path`; nil, for the home page, if `path` is one of the SDK's routes, such as the sign-out.
    ///
    /// A path that the return path policy refuses is returned unchanged: `SessionManager.begin` throws an error for it.
    private func withoutRoutes(_ path: String) -> String? {
        guard let accepted = sessions.acceptedReturnPath(path) else { return path }
        return table.contains(withoutOrigin(accepted)) ? nil : path
    }

    /// Removes the origin from a URL of this app; returns any other text unchanged, because the return path policy checks it later.
    private func withoutOrigin(_ address: String) -> String {
        guard address.utf8.starts(with: table.origin.utf8) else { return address }
        let rest = String(decoding: address.utf8.dropFirst(table.origin.utf8.count), as: UTF8.self)
        return switch rest.utf8.first {
        case UInt8(ascii: "/"): rest
        // The empty path of a URL is equal to "/" (RFC 9110 section 4.2.3).
        case nil, UInt8(ascii: "?"), UInt8(ascii: "#"): "/" + rest
        default: address
        }
    }
}
