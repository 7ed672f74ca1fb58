internal import IdentityHTTP
internal import IdentityKit

extension SignInRoutes {
    /// The response of a protected page to a browser that has no session, or whose session does not satisfy the page's requirement.
    func signInResponse(
        for context: WebContext,
        of session: Session?,
        _ requirement: StepUpRequirement
    ) async throws -> WebResponse {
        guard !context.request.prefersJSON, !context.request.isForPartOfPage else {
            let code: IdentityError.Code = session == nil ? .notSignedIn : .insufficientUserAuthentication
            let object: JSONObject = [
                "error": .string(IdentityError.Kind.signInAgain.rawValue), "code": .string(code.rawValue),
                "sign_in": .string(table.loginPath),
            ]
            return json(object, status: 401)
        }
        let page = page(after: context.request)
        let providers = sessions.providerNames
        // HEAD is a safe method (RFC 9110 section 9.2.1), so it begins no sign-in.
        guard context.request.method != .head, session != nil || providers.count == 1 else {
            return try redirect(to: table.loginPath(returningTo: page))
        }
        var options = configuration.loginOptions
        options.returnPath = page
        return try await login(in: context) {
            guard let session else { return try await sessions.begin(providers[0], options: options) }
            return try await sessions.beginStepUp(of: session.id, requiring: requirement, options: options)
        }
    }

    /// The page to which the browser returns after the sign-in.
    ///
    /// Nil for a path that the return path policy refuses, and for a method such as POST, because the browser cannot send a form again.
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
}
