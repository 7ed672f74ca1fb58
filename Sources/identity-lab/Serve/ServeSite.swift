internal import IdentityHTTP
internal import IdentityKit
internal import IdentitySandbox
internal import IdentityWeb
internal import Synchronization

/// Responds to the requests of `serve`: the page with two columns, its controls, and the routes of `IdentityWeb`.
final class ServeSite: Sendable {
    enum Side: String, CaseIterable, Sendable {
        case left, right
    }

    private struct State {
        var runs: [Side: ServedRun] = [:]
        var count = 0
    }

    let services: RunEnvironment
    let origin: String
    /// A random value that every form of the page must contain, so that another site cannot send such a form.
    let token: String
    /// The secret in the address of the page; nil for an http origin, which only this machine reaches.
    ///
    /// An https origin belongs to a tunnel or proxy, through which other people can reach the page.
    let key: String?
    private static let keyCookie = "__Host-lab-key"
    /// The routes for other programs, for example a conformance suite.
    let routes: SignInRoutes
    let recorder: Recorder
    private let deployment: Deployment
    private let state = Mutex(State())

    init(_ services: RunEnvironment, origin: String) throws {
        self.services = services
        self.origin = origin
        token = RandomText.hexadecimal(48)
        key = try HTTPURL(origin).isSecure ? RandomText.hexadecimal(48) : nil
        let recorder = Recorder { services.service(at: $0) }
        deployment = try services.deployment(recordedBy: recorder)
        self.recorder = recorder
        var configuration = SignInRoutes.Configuration(publicOrigin: origin)
        configuration.thirdPartyLogins = Self.issuers(services.configuration)
        routes = try SignInRoutes(
            sessions: deployment.sessions,
            carts: deployment.carts,
            configuration: configuration
        )
    }

    /// Returns the first provider's name for each configured `issuer`; these issuers may begin a login (OpenID Connect Core section 4).
    private static func issuers(_ configuration: IdentityConfiguration) -> [String: String] {
        var issuers: [String: String] = [:]
        for provider in configuration.providers {
            var section = provider.section
            if let issuer = try? section.optionalString("issuer") { issuers[issuer] = issuers[issuer] ?? provider.name }
        }
        return issuers
    }

    // MARK: Requests

    func address(at origin: String) -> String { origin + "/" + (key.map { "?key=" + $0 } ?? "") }

    func answer(_ request: WebRequest) async -> WebResponse {
        let parts = request.path.split(separator: "/").map { String($0) }
        // The sign-in routes need no key: providers and other programs call them, as in an app.
        if parts.first != "auth", let key, !Self.isEqual(request.cookie(Self.keyCookie), key) {
            return admit(request, key)
        }
        switch (request.method, parts.first, parts.count) {
        case (.get, nil, _): return await page()
        case (.get, "serve.js", 1): return Self.script
        case (_, "auth", _): return await route(request, parts)
        case (.get, "columns", 2):
            guard let side = Side(rawValue: parts[1]) else { break }
            return await column(side, after: request.queryValue("after"))
        case (.get, "columns", 3) where parts[2] == "open":
            guard let side = Side(rawValue: parts[1]), let page = await state.withLock({ $0.runs[side] })?.page else {
                break
            }
            return (try? HTTPResponse.redirect(to: page.text).secured())
                ?? Self.message("The address of the provider's page is not valid.", status: 500)
        case (.post, "columns", 3), (.post, "sandbox", 2):
            guard Self.isEqual(request.formValue("token"), token) else {
                return Self.message("The form has no token of this run. Load the page again.", status: 403)
            }
            return await control(request, parts)
        default: break
        }
        return Self.message("Unknown page.", status: 404)
    }

    /// Sets the cookie with the key in a browser that opens the printed address.
    private func admit(_ request: WebRequest, _ key: String) -> WebResponse {
        guard Self.isEqual(request.queryValue("key"), key), let cookie = try? ResponseCookie(Self.keyCookie, key) else {
            return Self.message("Open the whole address that identity-lab has printed: it contains a key.", status: 403)
        }
        var cookies = HTTPResponse(status: 303)
        try? cookies.headers.append("Set-Cookie", cookie.headerValue)
        return Self.home(after: cookies)
    }

    private static func isEqual(_ given: String?, _ expected: String) -> Bool {
        given.map { Secret($0).isEqual(to: Secret(expected)) } ?? false
    }

    /// Passes a callback or a logout return to the sign-in that waits for it, and other requests to the routes for other programs.
    private func route(_ request: WebRequest, _ parts: [String]) async -> WebResponse {
        let runs = state.withLock { Array($0.runs.values) }
        if parts.count == 3, parts[1] == "callback" {
            let callback =
                request.method == .get
                ? PresentedCallback(url: origin + request.target) : PresentedCallback(url: "", form: request.body)
            for run in runs {
                if let response = await run.take(request, callback) { return response }
            }
        }
        if parts.count == 3, parts[1] == "logout" {
            for run in runs where await run.awaitsLogout(request) { return await run.answer(request) }
        }
        return await routes.handle(request) { _ in Self.message("Unknown route.", status: 404) }
    }

    private func control(_ request: WebRequest, _ parts: [String]) async -> WebResponse {
        if parts[0] == "sandbox" {
            guard let sandbox = services.sandbox else {
                return Self.message("This page uses configured services and has no sandbox.", status: 404)
            }
            return await change(SandboxControl(sandbox: sandbox, clock: services.clock), parts[1], request)
        }
        guard let side = Side(rawValue: parts[1]) else { return Self.message("Unknown column.", status: 404) }
        if parts[2] == "sign-in" { return await begin(side, request) }
        guard let action = ServedRun.Action(rawValue: parts[2]), let run = state.withLock({ $0.runs[side] }) else {
            return Self.message("Unknown action.", status: 404)
        }
        return Self.home(after: await run.perform(action, request))
    }

    private func change(_ sandbox: SandboxControl, _ name: String, _ request: WebRequest) async -> WebResponse {
        do {
            switch name {
            case "expire":
                let seconds = Int(RunEnvironment.servedTokenLifetime.components.seconds) + 1
                _ = try await sandbox.run(.advanceClock, ["seconds": .integer(seconds)])
            case "fault":
                _ = try await sandbox.run(.planFault, ["fault": .string(request.formValue("fault") ?? "")])
            case "rotate": _ = try await sandbox.run(.rotateKeys, [:])
            default: return Self.message("Unknown action.", status: 404)
            }
            return Self.home()
        } catch {
            return Self.message(error.message, status: 400)
        }
    }

    private func begin(_ side: Side, _ request: WebRequest) async -> WebResponse {
        let names = services.configuration.providers.map(\.name)
        guard let provider = request.formValue("provider"), names.contains(where: { $0.isIdentical(to: provider) }),
            let name = request.formValue("entry_point"),
            let entryPoint = ServedRun.entryPoints.first(where: { $0.name == name })
        else {
            return Self.message("The form has an unknown provider or entry point. Load the page again.", status: 400)
        }
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        var configuration = SignInRoutes.Configuration(publicOrigin: origin)
        // Each sign-in has separate cookies, so that two sessions can live in one browser.
        configuration.cookieName = "lab-\(number)"
        do {
            let run = try ServedRun(provider, entryPoint, on: services, configuration)
            let old = state.withLock { state in
                defer { state.runs[side] = run }
                return state.runs[side]
            }
            await old?.close()
            return Self.home(after: await run.begin(request))
        } catch {
            return Self.message(IdentityError.wrapping(error).message, status: 500)
        }
    }

    /// Removes the sessions of all columns, and waits until the tokens of running refreshes are saved.
    func close() async {
        for run in state.withLock({ Array($0.runs.values) }) { await run.close() }
        await deployment.drain()
    }

    // MARK: Responses

    private func page() async -> WebResponse {
        var views: [Side: RunView] = [:]
        for (side, run) in state.withLock(\.runs) { views[side] = await run.view() }
        return .html(ServePage(site: self, views: views).html).secured()
    }

    private func column(_ side: Side, after: String?) async -> WebResponse {
        let view = await state.withLock { $0.runs[side] }?.view()
        let revision = view?.revision ?? 0
        var object: JSONObject = ["revision": .integer(revision)]
        if after.flatMap({ Int($0) }) != revision {
            object["html"] = .string(ServeColumn(side: side, view: view, token: token).live)
        }
        return WebResponse.json(object).secured()
    }

    private static func home(after response: WebResponse? = nil) -> WebResponse {
        var home = (try? HTTPResponse.redirect(to: "/")) ?? HTTPResponse(status: 303)
        for cookie in response?.headers.values(for: "Set-Cookie") ?? [] {
            try? home.headers.append("Set-Cookie", cookie)
        }
        return home.secured()
    }

    private static func message(_ text: String, status: Int) -> WebResponse {
        WebResponse.html("<!doctype html><title>identity-lab</title><p>\(text.html)</p>", status: status).secured()
    }

    private static var script: WebResponse {
        var response = HTTPResponse(status: 200, body: Array(ServePage.script.utf8))
        try? response.headers.set("Content-Type", "text/javascript; charset=utf-8")
        return response.secured()
    }
}

extension WebResponse {
    fileprivate func secured() -> WebResponse {
        var response = self
        for (name, value) in [
            ("Cache-Control", "no-store"), ("Referrer-Policy", "same-origin"), ("X-Content-Type-Options", "nosniff"),
            // The sequence diagrams need style attributes, which `unsafe-inline` permits.
            (
                "Content-Security-Policy",
                "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; img-src data:; "
                    + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
            ),
        ] { try? response.headers.set(name, value) }
        return response
    }
}
