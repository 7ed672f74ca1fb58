internal import IdentityHTTP
internal import IdentityKit

extension SignInRoutes {
    func dispatch(_ route: RouteTable.Route, in context: WebContext) async throws -> WebResponse {
        let methods = methods(of: route)
        guard methods.contains(context.request.method) else {
            var response = page(.notFound, status: 405)
            response.headers.replace("Allow", methods.map(\.rawValue).joined(separator: ", "))
            return response
        }
        guard context.request.body.count <= WebRequest.maximumBodyBytes else {
            return WebResponse(status: 413, headers: .of([("Cache-Control", "no-store")]))
        }
        switch route {
        case .chooseProvider: return try await choose(in: context)
        case .login(let provider):
            let options = linkOptions(context.request)
            return try await login(in: context) { try await sessions.begin(provider, options: options) }
        case .callback(let provider): return try await callback(provider, in: context)
        case .logout: return try await logout(in: context)
        case .logoutDone: return try await logoutDone(in: context)
        case .backChannelLogout(let provider): return await backChannelLogout(provider, context.request)
        case .session: return try await sessionJSON(in: context)
        }
    }

    /// The methods of a route.
    ///
    /// HEAD is a safe method (RFC 9110 section 9.2.1). So a route has HEAD only if its GET neither begins nor completes a sign-in or
    /// sign-out. The server or its adapter removes the body of the response to HEAD.
    private func methods(of route: RouteTable.Route) -> [HTTPMethod] {
        switch route {
        case .chooseProvider: configuration.thirdPartyLogins.isEmpty ? [.get, .head] : [.get, .post]
        case .login, .logoutDone: [.get]
        case .session: [.get, .head]
        case .callback(let provider):
            (try? sessions.descriptor(of: provider))?.responseMode == .formPost ? [.get, .post] : [.get]
        case .logout: [.get, .head, .post]
        case .backChannelLogout: [.post]
        }
    }
}
