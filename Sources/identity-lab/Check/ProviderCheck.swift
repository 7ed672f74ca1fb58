internal import IdentityHTTP
internal import IdentityKit
internal import IdentityOIDC
internal import IdentitySetup

struct ProviderCheck {
    let report: CheckReport
    let environment: IdentityEnvironment

    /// Returns the providers that could be created.
    func run(_ configuration: IdentityConfiguration) async -> [any IdentityProvider] {
        var providers: [any IdentityProvider] = []
        for entry in configuration.providers {
            do {
                let provider = try ProviderRegistry.makeProvider(
                    named: entry.name,
                    from: entry.section,
                    factories: IdentitySetup.Options().factories,
                    environment: environment
                )
                providers.append(provider)
                let client = provider.descriptor.clientType
                report.ok(
                    entry.section.path,
                    "members and secrets",
                    "All members are valid, and all secrets can be read.\(client.isEmpty ? "" : " Client: \(client).")"
                )
                await check(provider, entry.section.path)
            } catch {
                report.fail(entry.section.path, "members and secrets", error)
            }
        }
        if configuration.providers.isEmpty {
            report.warn(
                "providers",
                "members and secrets",
                "No provider is configured.",
                hint: "Add a provider to the section \"providers\" of the configuration."
            )
        }
        if !providers.isEmpty {
            await report.point("providers", "names") {
                _ = try ProviderRegistry(providers)
                return "Each provider has a valid and unique name."
            }
        }
        checkSharedRedirectURIs(providers)
        return providers
    }

    private func check(_ provider: any IdentityProvider, _ subject: String) async {
        checkRedirectURI(provider.descriptor, subject)
        guard let client = (provider as? any OpenIDClientProvider)?.client else {
            report.ok(
                subject,
                "discovery",
                "This kind of provider has no metadata. A key set at endpoints.jwks is not fetched by this check."
            )
            return
        }
        let isFound = await report.point(subject, "discovery") {
            let metadata = try await client.metadata()
            guard let login = metadata.authorizationEndpoint else { throw missing("authorization", subject) }
            guard let token = metadata.tokenEndpoint else { throw missing("token", subject) }
            return "Issuer \(metadata.issuer); login page at \(login.host), token endpoint at \(token.host)."
        }
        // The check of the keys also needs the metadata, so it would report the same failure again.
        guard isFound else { return }
        await report.point(subject, "keys") {
            guard let count = try await client.keyCount() else { throw missing("jwks", subject) }
            return "Supported signing keys: \(count)."
        }
        checkOfflineAccess(client.configuration, subject)
    }

    private func missing(_ endpoint: String, _ subject: String) -> IdentityError {
        IdentityError(
            configuration: "Neither the provider's metadata nor the configuration contains the endpoint \(endpoint).",
            hint: "Check the member of \(subject) that names the provider, such as issuer, shopDomain or environment. "
                + "If that member is right, set \(subject).endpoints.\(endpoint)."
        )
    }

    // MARK: Redirect URIs

    private func checkRedirectURI(_ descriptor: ProviderDescriptor, _ subject: String) {
        let point = "redirect URI"
        guard let text = descriptor.redirectURI else {
            guard descriptor.kind != "shopify" else {
                // `makeProvider` has refused every other client of Shopify without redirectURI, so this is a mobile client.
                let message =
                    "No redirectURI is configured, so logins use the default redirect URI of Shopify's mobile clients."
                return report.ok(subject, point, message)
            }
            report.warn(
                subject,
                point,
                "No redirectURI is configured, so the provider sends the browser to the redirect URI that is registered for the client.",
                hint:
                    "If the app uses IdentityWeb, register <publicOrigin><basePath>/callback/\(FormEncoding.escape(descriptor.name)) at "
                    + "the provider. By default, basePath is /auth. Otherwise register the URL of the app's own callback route."
            )
            return
        }
        guard let url = try? HTTPURL(text) else {
            report.ok(subject, point, "\(text) has a custom scheme, for an app on a device.")
            return
        }
        if url.isSecure {
            report.ok(subject, point, "\(text) is well formed. It must be registered at the provider, byte for byte.")
        } else {
            report.warn(
                subject,
                point,
                "\(text) leads to the machine on which the browser runs.",
                hint:
                    "For a web app in production, set \(subject).redirectURI to an https address and register it at the provider."
            )
        }
    }

    private func checkSharedRedirectURIs(_ providers: [any IdentityProvider]) {
        var names: [String: [String]] = [:]
        for descriptor in providers.map(\.descriptor) {
            if let text = descriptor.redirectURI { names[text, default: []].append(descriptor.name) }
        }
        for (text, names) in names.sorted(by: { $0.key < $1.key }) where names.count > 1 {
            report.warn(
                "providers",
                "redirect URI",
                "\(names.joined(separator: ", ")) share the redirect URI \(text).",
                hint: "Give each provider a separate redirect URI (RFC 9700 section 4.4.2)."
            )
        }
    }

    // MARK: Refresh tokens

    private func checkOfflineAccess(_ configuration: OpenIDClient.Configuration, _ subject: String) {
        guard configuration.scopes.contains("offline_access") else { return }
        let prompts = (configuration.loginDefaults.prompt ?? "").split(separator: " ")
        guard !prompts.contains("consent") else {
            return report.ok(subject, "offline_access", "offline_access is requested with prompt=consent.")
        }
        report.warn(
            subject,
            "offline_access",
            "offline_access is requested without prompt=consent, and many providers then ignore it without an error.",
            hint:
                "If sessions end when their access token expires, set \(subject).prompt to \"consent\" "
                + "(OpenID Connect Core section 11)."
        )
    }
}
