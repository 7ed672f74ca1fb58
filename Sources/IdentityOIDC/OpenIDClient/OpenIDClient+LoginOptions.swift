internal import IdentityKit

extension OpenIDClient {
    func requestsOpenID(_ options: LoginOptions) -> Bool {
        (options.scopes ?? configuration.scopes).contains { $0.isIdentical(to: "openid") }
    }

    func add(_ options: LoginOptions, to fields: inout [(name: String, value: String)]) throws(IdentityError) {
        if let prompt = options.prompt {
            try Self.check("prompt", AuthorizationParameter.problem(prompt: prompt))
            fields.append(("prompt", prompt))
        }
        if let hint = options.loginHint { fields.append(("login_hint", hint)) }
        if let maximumAge = options.maximumAgeSeconds {
            guard maximumAge >= 0 else {
                throw IdentityError(
                    configuration: "The login option max_age is negative.",
                    hint:
                        "Set maximumAge of LoginOptions, loginDefaults or StepUpRequirement to a duration of at least 0 seconds.",
                    reference: "OpenID Connect Core section 3.1.2.1"
                )
            }
            fields.append(("max_age", String(maximumAge)))
        }
        if !options.authenticationContexts.isEmpty {
            let contexts = options.authenticationContexts
            try Self.check("acr_values", AuthorizationParameter.problem(contexts: contexts))
            fields.append(("acr_values", contexts.joined(separator: " ")))
        }
        if let locale = options.locale {
            try Self.check("ui_locales", AuthorizationParameter.problem(locales: locale))
            fields.append((settings.localeParameter, locale))
        }
        for field in options.additionalParameters { try add(field, to: &fields) }
    }

    private func add(
        _ field: (name: String, value: String),
        to fields: inout [(name: String, value: String)]
    ) throws(IdentityError) {
        if let problem = AuthorizationParameter.problem(name: field.name, value: field.value) {
            throw Self.error("The authorization parameter \"\(field.name.prefix(128))\"", problem)
        }
        guard !fields.contains(where: { $0.name.isIdentical(to: field.name) }) else {
            throw IdentityError(
                configuration: "The authorization parameter \"\(field.name)\" is set twice.",
                hint:
                    "Set the parameter in one place only: with its login option, in LoginOptions.additionalParameters, or in "
                    + "authorizationParameters of the provider's configuration.",
                reference: "RFC 6749 section 3.1"
            )
        }
        fields.append(field)
    }

    private static func check(_ name: String, _ problem: AuthorizationParameter.Problem?) throws(IdentityError) {
        if let problem { throw error("The login option \(name)", problem) }
    }

    private static func error(_ subject: String, _ problem: AuthorizationParameter.Problem) -> IdentityError {
        IdentityError(configuration: "\(subject) \(problem.text).", hint: problem.hint, reference: problem.reference)
    }
}

extension LoginOptions {
    var maximumAgeSeconds: Int? { maximumAge.map { Int(clamping: $0.components.seconds) } }
}
