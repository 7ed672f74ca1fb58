internal import IdentityHTTP
internal import IdentityKit

extension SignInRoutes {
    /// The response of a protected page to a browser that is not signed in: JSON with status 401, or a redirect.
    func signInResponse(for context: WebContext) async throws -> WebResponse {
        guard !context.request.prefersJSON, !context.request.isForPartOfPage else {
            return unauthorized(.notSignedIn)
        }
        let page = page(after: context.request)
        // HEAD is a safe method (RFC 9110 section 9.2.1), so it begins no sign-in.
        guard context.request.method != .head, sessions.providerNames.count == 1,
            let provider = sessions.providerNames.first
        else { return try redirect(to: table.loginPath(returningTo: page)) }
        var options = configuration.loginOptions
        options.returnPath = page
        return try await login(provider, options, in: context)
    }

    /// The response of a protected page whose requirement the browser's session does not satisfy: JSON with status 401, or a redirect.
    func stepUpResponse(
        for context: WebContext,
        of session: Session,
        _ requirement: StepUpRequirement
    ) async throws -> WebResponse {
        guard !context.request.prefersJSON, !context.request.isForPartOfPage else {
            return unauthorized(.insufficientUserAuthentication)
        }
        let page = page(after: context.request)
        guard context.request.method != .head else { return try redirect(to: table.loginPath(returningTo: page)) }
        var options = configuration.loginOptions
        options.returnPath = page
        return try await login(in: context) {
            try await sessions.beginStepUp(of: session.id, requiring: requirement, options: options)
        }
    }

    /// The requested page, to which the browser returns after the sign-in; nil for the home page.
    ///
    /// Nil if the return path policy refuses the page. Nil also for a method such as POST, because the browser cannot send a form again.
    private func page(after request: WebRequest) -> String? {
        guard request.method == .get || request.method == .head else { return nil }
        return sessions.acceptedReturnPath(Self.withoutRawCharacters(request.target))
    }

    /// Escapes the bytes of a request target that a URL does not permit (RFC 3986), because browsers send some of them unescaped, for
    /// example brackets in a query.
    private static func withoutRawCharacters(_ target: String) -> String {
        let bytes = Array(target.utf8)
        var output: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            let digits = bytes.dropFirst(index + 1).prefix(2).compactMap(ASCII.hexValue)
            let isEscape = byte == UInt8(ascii: "%") && digits.count == 2
            if isEscape || ASCII.pathOrQuery.contains(byte) {
                output.append(byte)
            } else {
                FormEncoding.appendEscaped(byte, to: &output)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private func unauthorized(_ code: IdentityError.Code) -> WebResponse {
        var object = JSONObject()
        object["error"] = .string(IdentityError.Kind.signInAgain.rawValue)
        object["code"] = .string(code.rawValue)
        object["sign_in"] = .string(table.loginPath)
        return json(object, status: 401)
    }
}
