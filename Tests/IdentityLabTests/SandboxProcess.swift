import Foundation
import IdentityHTTP
import IdentityKit
import IdentityPlatform
import IdentitySandbox
import TestDirectories
import Testing

/// A running `identity-lab sandbox` with the file that it printed, and its control port.
final class SandboxProcess: Sendable {
    /// The event that the command printed at its start.
    let started: JSONValue
    let environment: [String: String]
    let folder: URL
    let robot: SandboxBuyer
    let control: String
    let token: String
    private let transport: CurlTransport

    private init(_ process: LabProcess, _ directory: TemporaryDirectory) async throws {
        started = try #require(try await process.nextEvent())
        folder = directory.url
        transport = try CurlTransport()
        robot = SandboxBuyer(transport: transport)
        control = try #require(started["control"]?["url"]?.string, "\(started)")
        token = try #require(started["control"]?["token"]?.string)
        let file = directory.path(of: "lab.json")
        try Data(try #require(started["configuration"]).serialized).write(to: URL(filePath: file))
        var environment = ["IDENTITY_CONFIG": file]
        for (name, value) in started["environment"]?.object?.members ?? [] { environment[name] = value.string }
        self.environment = environment
    }

    /// Runs a test body with a sandbox, then interrupts the sandbox, which must end with status 0.
    static func with(_ arguments: [String] = [], _ body: (SandboxProcess) async throws -> Void) async throws {
        let directory = try TemporaryDirectory("lab-sandbox")
        defer { directory.remove() }
        let store = ["--store", directory.path(of: "identity.sqlite")]
        let process = try LabProcess(["sandbox", "--json"] + store + arguments, environment: [:])
        defer { process.signal(SIGKILL) }
        let sandbox = try await SandboxProcess(process, directory)
        try await body(sandbox)
        await sandbox.transport.close()
        process.signal(SIGINT)
        #expect(await process.ended().status == 0)
    }

    func provider(_ name: String) throws -> JSONValue {
        try #require(started["configuration"]?["providers"]?[name])
    }

    // MARK: identity-lab

    func lab(_ arguments: String...) async throws -> LabProcess.Ended {
        try await LabProcess(arguments + ["--json"], environment: environment).ended()
    }

    /// Signs a buyer in, whose browser is the robot; returns the session's id.
    func login(_ provider: String, _ buyer: SandboxBuyer? = nil, _ options: [String] = []) async throws -> String {
        let ended = try await finish(try await begin(provider, options), buyer ?? robot)
        return try ended.sessionID
    }

    /// Begins a login with the callback on standard input.
    func begin(_ provider: String, _ options: [String] = []) async throws -> (process: LabProcess, url: String) {
        let arguments = ["login", "--provider", provider, "--callback", "stdin", "--json"] + options
        let process = try LabProcess(arguments, environment: environment)
        return (process, try #require(try await process.nextEvent()?["url"]?.string))
    }

    /// Signs the buyer in and sends the callback to the command: its URL, or the posted form.
    func finish(_ login: (process: LabProcess, url: String), _ buyer: SandboxBuyer) async throws -> LabProcess.Ended {
        let redirectURI = LabStage.parameter("redirect_uri", in: login.url)
        let callback = try await buyer.callback(at: login.url, redirectURI: redirectURI)
        login.process.send(callback.body.map { String(decoding: $0, as: UTF8.self) } ?? callback.url)
        return await login.process.ended()
    }

    /// The access token of a session, which is refreshed if it is due.
    func accessToken(of session: String) async throws -> String {
        let ended = try await lab("token", "--session", session, "--reveal")
        return try #require(try ended.event("token")["access_token"]?.string, "\(ended)")
    }

    // MARK: HTTP

    /// A request that waits long enough for a sandbox that creates new keys on a busy machine.
    private func request(_ method: HTTPMethod, _ url: String) throws -> HTTPRequest {
        let limits = HTTPLimits(firstByteTimeout: .seconds(60), totalTimeout: .seconds(60))
        return HTTPRequest(method: method, url: try HTTPURL(url), limits: limits, allowsLoopbackHTTP: true)
    }

    func get(_ url: String, bearer: String? = nil) async throws -> HTTPResponse {
        var request = try request(.get, url)
        if let bearer {
            try request.headers.set("Authorization", "Bearer " + bearer)
            // Bolt's account API needs the merchant's key too.
            try request.headers.set("X-API-Key", environment["BOLT_API_KEY"] ?? "")
        }
        return try await transport.send(request)
    }

    /// The status of UserInfo, or of Bolt's account API, for an access token.
    func apiStatus(_ provider: String, _ token: String) async throws -> Int {
        let section = try self.provider(provider)
        let api = section["endpoints"]?["api"]?.string.map { $0 + "/v1/account" }
        return try await get(api ?? (section["issuer"]?.string ?? "") + "/userinfo", bearer: token).status
    }

    func post(
        _ url: String,
        _ body: String,
        _ headers: [(name: String, value: String)]
    ) async throws -> (status: Int, json: JSONValue) {
        var request = try request(.post, url)
        for (name, value) in headers { try request.headers.set(name, value) }
        request.body = Array(body.utf8)
        let response = try await transport.send(request)
        return (response.status, try JSONValue(parsing: response.body))
    }

    func send(_ command: String, _ body: String = "") async throws -> (status: Int, json: JSONValue) {
        try await post(control + command, body, [("Authorization", "Bearer " + token)])
    }

    /// Sends a command, which must succeed.
    @discardableResult
    func command(_ command: String, _ body: String = "") async throws -> JSONValue {
        let answer = try await send(command, body)
        #expect(answer.status == 200 && answer.json["command"]?.string == command, "\(answer)")
        return answer.json
    }
}
