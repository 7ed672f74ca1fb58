internal import FoundationEssentials
internal import IdentityKit
internal import Synchronization

extension SandboxOpenID {
    /// The device authorization endpoint (RFC 8628 section 3.1).
    func authorizeDevice(_ call: SandboxCall) -> SandboxResponse {
        respond(to: call) { () throws(OAuthRefusal) in
            let (form, client) = try authenticate(call.request)
            let scopes = configuration.granted(form.scopes)
            let now = clock.now
            let begun = state.withLock { $0.devices.begin(configuration, client, scopes: scopes, at: now) }
            journal.count(\.deviceAuthorizations)
            let complete = FormText.append([("user_code", begun.userCode)], to: verificationURI)
            return SandboxResponse.json([
                "device_code": .string(begun.deviceCode), "user_code": .string(begun.userCode),
                "verification_uri": .string(verificationURI), "verification_uri_complete": .string(complete),
                "expires_in": .integer(configuration.deviceCodeLifetime.wholeSeconds),
                "interval": .integer(configuration.devicePollingInterval.wholeSeconds),
            ]).with("Cache-Control", "no-store")
        }
    }

    /// The pages where the buyer enters the code and approves or denies the login (RFC 8628 section 3.3).
    func devicePage(_ call: SandboxCall) -> SandboxResponse {
        let request = call.request
        let now = clock.now
        let parts = request.path.split(separator: "/")
        guard parts.count == 1 else { return confirm(request, handle: String(parts.last ?? ""), now) }
        guard request.method == "POST" else {
            return .html(DevicePages.code(typed: request.queryValue("user_code"), problem: nil))
        }
        let typed = request.formValue("user_code") ?? ""
        guard let found = state.withLock({ $0.devices.pending(userCode: typed, at: now) }) else {
            return .html(DevicePages.code(typed: typed, problem: "No device waits for this code."))
        }
        if browserSession(of: request) != nil {
            return .redirect(to: page(of: found.handle))
        }
        var login = HostedLogin(clientID: found.clientID, callback: "", at: now)
        login.scopes = found.scopes
        login.deviceHandle = found.handle
        return begin(login, at: "/login")
    }

    private func confirm(_ request: SandboxRequest, handle: String, _ now: Date) -> SandboxResponse {
        guard let found = state.withLock({ $0.devices.pending(handle: handle, at: now) }),
            let session = browserSession(of: request)
        else { return deviceMissing() }
        guard request.method == "POST" else {
            return .html(DevicePages.confirmation(found, action: request.path))
        }
        switch request.formValue("action") {
        case "continue": return answerDevice(handle, .approved(session))
        case "cancel": return answerDevice(handle, .denied)
        default: return NoticePages.unknownAction(brand: "OpenID")
        }
    }

    private func deviceMissing() -> SandboxResponse {
        let hint = "Enter the code that the device shows. If that fails, start the login on the device again."
        let reason = "No device waits for this login, or this browser is not signed in."
        return NoticePages.error(brand: "OpenID", reason, hint: hint, status: 404)
    }

    func page(of handle: String) -> String { "/device/" + handle }

    func answerDevice(_ handle: String, _ decision: DeviceAuthorizations.Decision) -> SandboxResponse {
        guard state.withLock({ $0.devices.decide(handle: handle, decision) }) else { return deviceMissing() }
        let isApproved = if case .approved = decision { true } else { false }
        return .html(DevicePages.answered(isApproved: isApproved))
    }
}
