import IdentityHTTP
import IdentityKit

/// A request of a server framework.
private struct Request {
    let uri: String
    let body: [UInt8]

    func cookie(_ name: String) -> String? { nil }
    func header(_ name: String) -> String? { nil }
}

/// A response of a server framework.
private struct Response {
    enum SameSite { case lax }

    var status = 200
    var body: [UInt8] = []

    func setHeader(_ name: String, _ value: String) {}
    // swift-format-ignore
    func setCookie(_: String, _: String, httpOnly: Bool, secure: Bool, sameSite: SameSite, maxAge: Int) {}
    func removeCookie(_ name: String) {}
    func redirect(to location: String) {}
}

// swift-format-ignore
extension App {
    private func logoutPage(id: SessionID, request: Request, response: Response) async throws {
        // POST /logout
        var options = LogoutOptions(returningTo: "https://app.example/signed-out")
        options.returnPath = "/goodbye"
        let result = try await sessions.logout(id, options: options)
        response.removeCookie("session")
        if let awaited = result.awaitedReturn {
            response.setCookie("logout", awaited.browserBinding.reveal(), httpOnly: true, secure: true, sameSite: .lax, maxAge: 600)
        }
        response.redirect(to: result.browserURL?.text ?? "/goodbye")

        // GET /signed-out
        let logout = try await sessions.completeLogout(
            LogoutCallback(url: request.uri), browserBinding: request.cookie("logout").map { Secret($0) })
        response.redirect(to: logout.returnPath ?? "/")
    }

    private func logoutPage(request: Request, response: inout Response) async {
        // POST /backchannel-logout/any: no cookie, no session, no protection against forged requests. The token is signed.
        let result = await sessions.backChannelLogout(provider: "any", body: request.body, contentType: request.header("Content-Type"))
        for problem in result.problems { log(problem) }
        if let error = result.error { log(error) }
        response.status = result.status
        for header in result.headers { response.setHeader(header.name, header.value) }
        response.body = result.body
    }
}
