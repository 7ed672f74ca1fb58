internal import FoundationEssentials

/// The pending logins and the signed-in browsers of one provider.
struct LoginSessions: Sendable {
    struct Session: Sendable {
        let id: String
        let buyer: Int
        let authenticatedAt: Date
    }

    enum Outcome: Sendable {
        case response(SandboxResponse)
        case denied(HostedLogin)
        case signedIn(HostedLogin, email: String)
    }

    let brand: String
    private var cookieName: String { "sandbox_" + brand.lowercased() }
    private var transactions: [String: HostedLogin] = [:]
    private var sessions: [String: Session] = [:]

    init(brand: String) { self.brand = brand }

    func session(of request: SandboxRequest) -> Session? { request.cookies[cookieName].flatMap { sessions[$0] } }

    mutating func openSession(for buyer: Int, at now: Date) -> (session: Session, cookie: String) {
        let key = RandomText.hexadecimal(32)
        let session = Session(id: RandomText.hexadecimal(32), buyer: buyer, authenticatedAt: now)
        sessions[key] = session
        return (session, "\(cookieName)=\(key); Path=/; HttpOnly; SameSite=Lax")
    }

    func isOpen(_ session: Session) -> Bool { sessions.values.contains { $0.id == session.id } }

    mutating func closeSessions(where isSelected: (Session) -> Bool) {
        sessions = sessions.filter { !isSelected($0.value) }
    }

    var expiredCookie: String { "\(cookieName)=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax" }

    mutating func begin(_ login: HostedLogin, submitsHint: Bool, at path: String) -> SandboxResponse {
        var login = login
        if submitsHint, let hint = login.loginHint { login.sendOneTimeCode(to: hint) }
        transactions = transactions.filter { $0.value.expires > login.expires - 3600 }
        transactions[login.id] = login
        let target = path + "/" + login.id
        return SandboxResponse.redirect(to: target).with(
            "Set-Cookie",
            "sandbox_login=\(login.binding); Path=\(target); HttpOnly; SameSite=Lax"
        )
    }

    mutating func handle(_ request: SandboxRequest, at now: Date) -> Outcome {
        let id = request.path.split(separator: "/").last.map(String.init) ?? ""
        guard var login = transactions[id], login.expires > now else {
            return error("This login has ended or does not exist.", "Return to the app or device and start again.", 404)
        }
        guard request.cookies["sandbox_login"] == login.binding else {
            return error(
                "This browser did not send the cookie of the login.",
                "Continue in the browser that started the login, and allow cookies.",
                403,
                login.brand
            )
        }
        guard request.method == "POST" else {
            let brand = login.brand ?? brand
            let page =
                switch login.step {
                case .email: LoginPages.email(login, brand: brand, action: request.path)
                case .oneTimeCode: LoginPages.oneTimeCode(login, brand: brand, action: request.path)
                case .consent: LoginPages.consent(login, brand: brand, action: request.path)
                }
            return .response(.html(page))
        }
        switch (request.formValue("action"), login.step) {
        case ("cancel", _):
            transactions[id] = nil
            return .denied(login)
        case ("back", .email), ("back", .oneTimeCode):
            login.step = .email
            login.problem = nil
        case ("continue", .consent):
            transactions[id] = nil
            return .signedIn(login, email: login.email ?? "")
        case (_, .consent):
            return .response(NoticePages.unknownAction(brand: login.brand ?? brand))
        case (_, .email): login.sendOneTimeCode(to: request.formValue("email") ?? "")
        case (_, .oneTimeCode):
            if let email = login.email(provedBy: request.formValue("code")) {
                transactions[id] = nil
                return .signedIn(login, email: email)
            }
            guard login.failures < HostedLogin.maximumFailures else {
                transactions[id] = nil
                return error("Too many wrong codes.", "Return to the app or device and start again.", 403, login.brand)
            }
        }
        transactions[id] = login
        return .response(.redirect(to: request.path, status: 303))
    }

    private func error(_ reason: String, _ hint: String, _ status: Int, _ loginBrand: String? = nil) -> Outcome {
        .response(NoticePages.error(brand: loginBrand ?? brand, reason, hint: hint, status: status))
    }
}
