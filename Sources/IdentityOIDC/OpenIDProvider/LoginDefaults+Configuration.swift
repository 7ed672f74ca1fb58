internal import IdentityKit

extension LoginDefaults {
    /// Reads `prompt`, `maxAge`, `acrValues`, `uiLocales`, `loginHint` and `authorizationParameters`.
    ///
    /// - Throws: `IdentityError` that names the member.
    init(_ section: inout ConfigurationSection) throws(IdentityError) {
        self.init()
        prompt = try section.optionalString("prompt")
        maximumAge = try section.optionalInteger("maxAge", in: 0...31_536_000).map { .seconds($0) }
        authenticationContexts = try section.optionalStrings("acrValues") ?? []
        locale = try section.optionalStrings("uiLocales")?.joined(separator: " ")
        loginHint = try section.optionalString("loginHint")
        try section.refuse("prompt", prompt.flatMap { AuthorizationParameter.problem(prompt: $0) })
        try section.refuse("uiLocales", locale.flatMap { AuthorizationParameter.problem(locales: $0) })
        try section.refuse("acrValues", AuthorizationParameter.problem(contexts: authenticationContexts))
        guard var members = try section.optionalSection("authorizationParameters") else { return }
        for name in members.memberNames {
            let value = try members.string(name)
            try members.refuse(name, AuthorizationParameter.problem(name: name, value: value))
            additionalParameters.append((name, value))
        }
    }
}

extension ConfigurationSection {
    /// Throws an error that names the member; does nothing if `problem` is nil.
    fileprivate func refuse(_ name: String, _ problem: AuthorizationParameter.Problem?) throws(IdentityError) {
        if let problem { throw error(name, problem.text, hint: problem.hint) }
    }
}
