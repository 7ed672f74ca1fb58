internal import IdentityHTTP
internal import IdentityKit

extension SignInRoutes {
    /// Ends the browser's session and redirects to the provider's logout page, or to `logout/done` if no such page is available.
    ///
    /// A GET request shows a sign-out button instead, because a link or an image on any site can cause a GET request.
    func logout(in context: WebContext) async throws -> WebResponse {
        guard let id = cookies.sessionID(in: context.request) else { return try redirect(to: table.logoutDonePath) }
        guard context.request.method == .post else { return await logoutConfirmation(in: context) }
        switch context.csrfCheck {
        case .ownPage: break
        case .otherSite: throw context.requestRefused
        case .unknown: return await logoutConfirmation(in: context)
        }
        var options = LogoutOptions(returningTo: configuration.returnsFromLogout ? table.logoutReturnAddress : nil)
        options.sendsState = configuration.returnsFromLogout
        var destination = table.logoutDonePath
        do {
            let result = try await sessions.logout(id, options: options)
            if let awaited = result.awaitedReturn { context.set(try cookies.logout(awaited)) }
            if let url = result.browserURL { destination = url.text }
        } catch let error as IdentityError where error.code == .sessionUnknown || error.concernsRecord {
            // The session has already ended, or its record cannot be read. The cookie is removed, so that the buyer can sign in again.
        }
        context.forgetSession()
        if let removal = cookies.withoutSession { context.set(removal) }
        var response = try redirect(to: destination)
        if configuration.clearsSiteData { response.headers.replace("Clear-Site-Data", "\"cache\", \"storage\"") }
        return response
    }

    private func logoutConfirmation(in context: WebContext) async -> WebResponse {
        let fields = context.csrfToken.map { [(name: CSRFCheck.field, value: $0)] } ?? []
        let content = SignInPage.Content.confirmSignOut(action: table.logoutPath, fields: fields)
        return page(content, targets: await context.logoutOrigins())
    }

    /// Receives the browser from the provider's logout page.
    ///
    /// The route `logout` has already ended the session. Any site can link to `logout/done`, so this route removes the logout cookie only
    /// if the cookie and the `state` confirm the return. After a store error, the cookie stays, so that the buyer can load this page again.
    func logoutDone(in context: WebContext) async throws -> WebResponse {
        let binding = cookies.logoutBinding(in: context.request)
        var status = 200
        do {
            let callback = try LogoutCallback(url: context.request.target)
            let completed = try await sessions.completeLogout(callback, browserBinding: binding)
            if completed.isConfirmed {
                if let removal = cookies.withoutLogout { context.set(removal) }
                // The `state` works once. Without this redirect, the buyer would see an error after loading the page again.
                return try redirect(to: completed.returnPath ?? table.logoutDonePath)
            }
        } catch let error as IdentityError where error.kind == .rejected {
            status = 400
        }
        // Any link can lead to this route. If the buyer is signed in, the page must not say that the buyer is signed out.
        if try await context.session() != nil { return try redirect(to: configuration.homePath) }
        return page(.signedOut, status: status)
    }

    /// Receives a provider's logout token (OpenID Connect Back-Channel Logout 1.0).
    func backChannelLogout(_ provider: String, _ request: WebRequest) async -> WebResponse {
        let result = await sessions.backChannelLogout(
            provider: provider,
            body: request.body,
            contentType: request.headers["Content-Type"]
        )
        return WebResponse(status: result.status, headers: .of(result.headers), body: result.body)
    }
}
