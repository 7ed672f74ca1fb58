internal import IdentityKit

extension OpenIDClient {
    /// What one login asks for: its own options, completed by what the configuration asks for.
    func completed(_ options: LoginOptions) -> LoginOptions { options.completed(by: dialect.loginDefaults) }

    /// Adds what a login asks for to the parameters that the protocol needs.
    ///
    /// - Throws: `IdentityError` of kind `configuration` for a parameter that belongs to the protocol, and for a value that cannot be sent.
    func add(_ options: LoginOptions, to fields: inout [(name: String, value: String)]) throws(IdentityError) {
        if let prompt = options.prompt {
            try Self.refuse("prompt", AuthorizationParameter.problem(prompt: prompt))
            fields.append(("prompt", prompt))
        }
        if let hint = options.loginHint { fields.append(("login_hint", hint)) }
        if let maximumAge = options.maximumAgeSeconds {
            guard maximumAge >= 0 else {
                throw Self.invalid("The login option max_age is negative.", hint: "Give a number of seconds from 0.")
            }
            fields.append(("max_age", String(maximumAge)))
        }
        if !options.authenticationContexts.isEmpty {
            let contexts = options.authenticationContexts
            try Self.refuse("acr_values", AuthorizationParameter.problem(contexts: contexts))
            fields.append(("acr_values", contexts.joined(separator: " ")))
        }
        if let locale = options.locale {
            try Self.refuse("ui_locales", AuthorizationParameter.problem(locales: locale))
            fields.append((dialect.localeParameter, locale))
        }
        for field in options.additionalParameters { try add(field, to: &fields) }
    }

    /// A further parameter may not replace what the protocol needs, nor what was added before.
    private func add(
        _ field: (name: String, value: String),
        to fields: inout [(name: String, value: String)]
    ) throws(IdentityError) {
        if let problem = AuthorizationParameter.problem(name: field.name) {
            throw Self.invalid(
                "The authorization parameter \"\(field.name.prefix(128))\" \(problem.words).",
                hint: problem.hint,
                reference: problem.reference
            )
        }
        guard !fields.contains(where: { $0.name.isIdentical(to: field.name) }) else {
            throw Self.invalid(
                "The authorization parameter \"\(field.name)\" is given twice.",
                hint: "Give it once, or use the option that exists for it."
            )
        }
        fields.append(field)
    }

    private static func refuse(_ name: String, _ problem: AuthorizationParameter.Problem?) throws(IdentityError) {
        guard let problem else { return }
        throw invalid("The login option \(name) \(problem.words).", hint: problem.hint, reference: problem.reference)
    }

    private static func invalid(
        _ message: String,
        hint: String,
        reference: String = "RFC 6749 section 3.1"
    ) -> IdentityError {
        IdentityError(.configuration, .configurationInvalid, message, hint: hint, reference: reference)
    }
}

extension LoginOptions {
    /// `max_age` in whole seconds.
    var maximumAgeSeconds: Int? { maximumAge.map { Int(clamping: $0.components.seconds) } }
}
