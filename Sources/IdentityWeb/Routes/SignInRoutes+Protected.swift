internal import IdentityHTTP
internal import IdentityKit

// The responses of a protected page to a browser that has to sign in first, or again.
extension SignInRoutes {
    /// The response to a browser that has to sign in for a page.
    func signInResponse(for context: WebContext) async throws -> WebResponse {
        guard !context.request.prefersJSON else { return unauthorized(.notSignedIn) }
        let page = page(after: context.request)
        guard sessions.providerNames.count == 1, let provider = sessions.providerNames.first else {
            return try redirect(to: table.loginPath + "?return=" + FormEncoding.escape(page))
        }
        var options = configuration.loginOptions
        options.returnPath = page
        return try await login(provider, options, in: context)
    }

    /// The response to a browser whose session is not recent or not strong enough for a page.
    func stepUpResponse(
        for context: WebContext,
        of session: Session,
        _ requirement: StepUpRequirement
    ) async throws -> WebResponse {
        guard !context.request.prefersJSON else { return unauthorized(.insufficientUserAuthentication) }
        var options = configuration.loginOptions
        options.returnPath = page(after: context.request)
        return try await login(in: context) {
            try await sessions.beginStepUp(of: session.id, requiring: requirement, options: options)
        }
    }

    /// The page to which the browser returns after the sign-in: the requested page for GET, otherwise the home page, because the browser
    /// cannot send a form again.
    private func page(after request: WebRequest) -> String {
        request.method == .get ? request.target : configuration.homePath
    }

    private func unauthorized(_ code: IdentityError.Code) -> WebResponse {
        var object = JSONObject()
        object["error"] = .string(IdentityError.Kind.signInAgain.rawValue)
        object["code"] = .string(code.rawValue)
        object["sign_in"] = .string(table.loginPath)
        return json(object, status: 401)
    }
}
