internal import IdentityKit

extension OpenIDClient {
    /// Adds what the app asks for at one login, and the provider's own parameters.
    ///
    /// - Parameters:
    ///   - options: What the app asks for.
    ///   - additional: Parameters of the provider's own.
    ///   - fields: The parameters that the protocol needs.
    ///   - reserved: Further names that the app may not use.
    func add(
        _ options: LoginOptions,
        and additional: [(name: String, value: String)] = [],
        to fields: inout [(name: String, value: String)],
        reserved: [String] = []
    ) throws {
        if let prompt = options.prompt { fields.append(("prompt", prompt)) }
        if let hint = options.loginHint { fields.append(("login_hint", hint)) }
        if let maximumAge = options.maximumAgeSeconds { fields.append(("max_age", String(maximumAge))) }
        if !options.authenticationContexts.isEmpty {
            fields.append(("acr_values", options.authenticationContexts.joined(separator: " ")))
        }
        if let locale = options.locale { fields.append((dialect.localeParameter, locale)) }
        try add(dialect.additionalAuthorizationParameters + additional, to: &fields)
        try add(options.additionalParameters, to: &fields, reserved: Self.protocolParameters + reserved)
    }

    /// What no caller may set, also where this login does not send it; a request object would replace all of it (RFC 9101).
    private static let protocolParameters = [
        "client_id", "response_type", "scope", "state", "redirect_uri", "nonce", "code_challenge",
        "code_challenge_method", "request", "request_uri", "response_mode", "dpop_jkt", "client_secret",
        "client_assertion", "client_assertion_type",
    ]

    /// Further parameters may not replace what the protocol needs.
    private func add(
        _ additional: [(name: String, value: String)],
        to fields: inout [(name: String, value: String)],
        reserved: [String] = []
    ) throws {
        for field in additional {
            guard !(fields.map(\.name) + reserved).contains(where: { $0.isIdentical(to: field.name) }) else {
                throw IdentityError(
                    .configuration,
                    .configurationInvalid,
                    "The additional parameter \(field.name) is one that the login sets itself.",
                    hint: "Use the option that exists for it.",
                    reference: "RFC 6749 section 3.1"
                )
            }
            fields.append(field)
        }
    }
}

extension LoginOptions {
    /// `max_age` in whole seconds.
    var maximumAgeSeconds: Int? { maximumAge.map { Int(clamping: $0.components.seconds) } }
}
