import IdentityHTTP
import IdentityKit
import IdentityTesting
import StorefrontSandbox
import Testing

@testable import IdentitySandbox

@Suite struct DeviceTests {
    private func begin(_ login: OpenIDLogin) async throws -> JSONValue {
        let fields = login.credentials + [("scope", "openid email")]
        let answer = try await login.post(login.openID.deviceAuthorizationEndpoint, fields)
        #expect(answer.status == 200)
        return answer.json
    }

    private func poll(_ login: OpenIDLogin, _ device: JSONValue) async throws -> (status: Int, json: JSONValue) {
        let fields = [
            (name: "grant_type", value: "urn:ietf:params:oauth:grant-type:device_code"),
            ("device_code", device["device_code"]?.string ?? ""),
        ]
        let answer = try await login.token(fields + login.credentials)
        return (answer.status, answer.json)
    }

    private func start() async throws -> OpenIDLogin {
        try await OpenIDLogin.start { $0.supportsDeviceAuthorization = true }
    }

    @Test(
        "a device gets authorization_pending until the buyer approves, slow_down if it polls too often, and tokens once"
    )
    func approval() async throws {
        let login = try await start()
        let device = try await begin(login)
        #expect(device["interval"] == .integer(5))
        #expect(device["expires_in"] == .integer(600))
        #expect(try await poll(login, device).json["error"]?.string == "authorization_pending")
        login.clock.advance(by: .seconds(4))
        #expect(try await poll(login, device).json["error"]?.string == "slow_down")
        login.clock.advance(by: .seconds(9))
        #expect(try await poll(login, device).json["error"]?.string == "slow_down")
        login.clock.advance(by: .seconds(15))
        #expect(try await poll(login, device).json["error"]?.string == "authorization_pending")
        #expect(login.openID.violations.map(\.error) == ["slow_down", "slow_down"])

        let userCode = (device["user_code"]?.string ?? "").lowercased().filter { $0 != "-" }
        try await SandboxBuyer().answerDevice(at: login.openID.verificationURI, userCode: userCode)
        let tokens = try await poll(login, device)
        #expect(tokens.status == 200)
        let claims = TestClient.part(1, of: tokens.json["id_token"]?.string ?? "")
        #expect(claims["sub"]?.string?.hasPrefix("user-") == true)
        #expect(claims["nonce"] == nil)
        #expect(try await poll(login, device).json["error"]?.string == "invalid_grant")
        #expect(login.openID.counters.deviceAuthorizations == 1)
        let metadata = try await login.metadata()
        #expect(metadata["device_authorization_endpoint"]?.string == login.openID.deviceAuthorizationEndpoint)
        await login.sandbox.stop()
    }

    /// Sends the action `approve`, which no button has, from pages that have only buttons.
    private struct ForgedButton: HTTPTransport {
        let transport: CurlTransport

        func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
            var forged = request
            if request.body == Array("action=continue".utf8) { forged.body = Array("action=approve".utf8) }
            return try await transport.send(forged)
        }
    }

    @Test("an unknown action on the page of a device login or of a consent is refused, and approves nothing")
    func unknownAction() async throws {
        let login = try await start()
        let buyer = SandboxBuyer(transport: ForgedButton(transport: try CurlTransport()))
        let device = try await begin(login)
        let confirmation = await #expect(throws: SandboxBuyerError.self) {
            try await buyer.answerDevice(at: device["verification_uri_complete"]?.string ?? "")
        }
        #expect(confirmation?.status == 400)
        #expect(try await poll(login, device).json["error"]?.string == "authorization_pending")
        let consent = await #expect(throws: SandboxBuyerError.self) {
            _ = try await login.code([("prompt", "consent")], buyer: buyer)
        }
        #expect(consent?.status == 400)
        #expect(login.openID.counters.codesIssued == 0)
        await login.sandbox.stop()
    }

    @Test("after the buyer has approved a device login, another tab of the browser cannot refuse it")
    func secondTab() async throws {
        let login = try await start()
        let device = try await begin(login)
        let code = device["user_code"]?.string ?? ""
        // The second tab shows the login page while the buyer approves the login in the first tab.
        let began = try await login.post(login.openID.verificationURI, [("user_code", code)])
        let page = login.openID.issuer + (began.headers["location"] ?? "")
        let cookie = String((began.headers["set-cookie"] ?? "").prefix { $0 != ";" })
        try await SandboxBuyer().answerDevice(at: device["verification_uri_complete"]?.string ?? "")
        let refused = try await login.post(page, [("action", "cancel")], headers: ["Cookie": cookie])
        #expect(refused.status == 404)
        #expect(try await poll(login, device).status == 200)
        await login.sandbox.stop()
    }

    @Test("after the end of the session in which the buyer approved a device login, the device gets no tokens")
    func endedSession() async throws {
        let login = try await start()
        let device = try await begin(login)
        let buyer = SandboxBuyer()
        try await buyer.answerDevice(at: device["verification_uri_complete"]?.string ?? "")
        await login.openID.endSessions(ofBuyer: buyer.email)
        #expect(try await poll(login, device).json["error"]?.string == "invalid_grant")
        await login.sandbox.stop()
    }

    @Test("a refusal by the buyer and an expired code end the wait of the device")
    func ends() async throws {
        let login = try await start()
        let (first, second, third) = (try await begin(login), try await begin(login), try await begin(login))
        let buyer = SandboxBuyer(behaviour: .deny)
        try await buyer.answerDevice(at: first["verification_uri_complete"]?.string ?? "")
        #expect(try await poll(login, first).json["error"]?.string == "access_denied")

        // The buyer is already signed in, so the confirmation page is shown immediately.
        let signedIn = SandboxBuyer()
        _ = try await signedIn.login(at: login.url(), redirectURI: login.redirectURI)
        try await signedIn.answerDevice(at: second["verification_uri_complete"]?.string ?? "")
        #expect(try await poll(login, second).status == 200)

        login.clock.advance(by: .seconds(600))
        #expect(try await poll(login, third).json["error"]?.string == "expired_token")
        await #expect(throws: SandboxBuyerError.self) {
            try await signedIn.answerDevice(at: third["verification_uri_complete"]?.string ?? "")
        }
        #expect(try await poll(login, .object([:])).json["error"]?.string == "invalid_request")
        let off = try await OpenIDLogin.start()
        #expect(try await poll(off, first).json["error"]?.string == "unsupported_grant_type")
        #expect(try await off.post(off.openID.deviceAuthorizationEndpoint, off.credentials).status == 404)
        await off.sandbox.stop()
        await login.sandbox.stop()
    }
}
