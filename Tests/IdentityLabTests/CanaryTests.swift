import Foundation
import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentitySandbox
import IdentityTesting
import StorefrontSandbox
import Synchronization
import Testing

@Suite("identity-lab and secrets", .timeLimit(.minutes(10)))
struct CanaryTests {
    private static let fields: Set<String> = [
        "client_secret", "client_assertion", "code", "code_verifier", "device_code", "refresh_token", "token",
        "customerAccessToken",
    ]

    /// Makes the canary watch the secrets that were sent to the sandbox and the secrets of the environment.
    private func learn(_ stage: LabStage, _ canary: SecretCanary) {
        for (name, value) in stage.environment where name != "IDENTITY_CONFIG" { canary.watch(Secret(value)) }
        let services: [any SandboxService] = [
            stage.sandbox.shopify, stage.sandbox.bolt, stage.sandbox.sfcc, stage.sandbox.openID,
            stage.sandbox.storefront,
        ]
        for request in services.flatMap(\.requests) {
            Self.secrets(request.headers.map { ($0.name, $0.value) }, request.body).forEach { canary.watch(Secret($0)) }
        }
    }

    private static func secrets(_ headers: [(name: String, value: String)], _ body: [UInt8]) -> [String] {
        var found = headers.filter { $0.name.lowercased() == "authorization" }
            .compactMap { $0.value.split(separator: " ").last.map(String.init) }
        found += (FormEncoding.decode(body) ?? []).filter { fields.contains($0.name) }.map(\.value)
        if let token = (try? JSONValue(parsing: body))?["variables"]?["buyerIdentity"]?["customerAccessToken"]?.string {
            found.append(token)
        }
        return found
    }

    /// All files of the stage, also temporary files of the program.
    private func files(_ stage: LabStage) throws -> [(name: String, bytes: [UInt8])] {
        try FileManager.default.subpathsOfDirectory(atPath: stage.folder.path).map { name in
            (name, Array((try? Data(contentsOf: stage.folder.appendingPathComponent(name))) ?? Data()))
        }
    }

    private func environment(_ stage: LabStage) throws -> [String: String] {
        let temporary = stage.folder.appendingPathComponent("tmp")
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
        return stage.environment.merging(["TMPDIR": temporary.path]) { $1 }
    }

    @Test(
        "no command prints a secret, and no file contains one: database, journal, temporary files and report"
    )
    func everyCommand() async throws {
        try await LabStage.with { stage in
            let canary = SecretCanary()
            let environment = try environment(stage)
            let page = stage.folder.appendingPathComponent("report.html").path
            var printed: [(command: String, ended: LabProcess.Ended)] = []
            func run(_ arguments: [String]) async throws -> LabProcess.Ended {
                let ended = try await LabProcess(arguments + ["--verbose"], environment: environment).ended()
                printed.append((arguments.joined(separator: " "), ended))
                return ended
            }
            var ends: [LabProcess.Ended] = []
            for format in [["--json"], []] {
                let login = try await run(["login", "--provider", "shopify", "--callback", "sandbox", "--json"])
                let id = try login.sessionID
                for arguments in [
                    ["token", "--session", id, "--valid-for", "7200"], ["sessions"], ["profile", "--session", id],
                    ["cart", "--session", id, "--line", "gid://shopify/ProductVariant/1", "--buyer-ip", "203.0.113.7"],
                    ["compare", "--callback", "sandbox", "--html", page],
                ] {
                    #expect(try await run(arguments + format).status == 0, "\(arguments)")
                }
                ends.append(
                    try await LabProcess(["logout", "--session", id] + format, environment: environment).ended()
                )
            }
            _ = try await run(["--callback", "sandbox"])
            learn(stage, canary)
            // The URL of the logout page contains the ID token on purpose.
            for end in ends {
                let text = end.output + end.errors
                let hint = try #require(text.split(separator: "id_token_hint=").dropFirst().first)
                canary.watch(Secret(String(hint.prefix { $0 != "&" && $0 != "\"" && $0 != "\n" && $0 != " " })))
            }
            #expect(canary.count > 40)
            for (command, ended) in printed {
                #expect(canary.findings(inText: ended.output + ended.errors) == [], "\(command)")
            }
            let found = try files(stage)
            #expect(found.contains { $0.name == "report.html" && $0.bytes.count > 10_000 })
            for (name, bytes) in found { #expect(canary.findings(in: bytes) == [], "\(name)") }
            // Check the search itself: --reveal prints a token.
            let login = try await run(["login", "--provider", "any", "--callback", "sandbox", "--json"])
            let id = try login.sessionID
            let revealed = try await LabProcess(["token", "--session", id, "--reveal"], environment: environment)
                .ended()
            _ = try await run(["profile", "--session", id])
            learn(stage, canary)
            #expect(canary.findings(inText: revealed.output) != [])
        }
    }

    @Test("no command prints a secret that a server repeats")
    func echoes() async throws {
        try await LabStage.with { stage in
            let canary = SecretCanary()
            let shape = Mutex(0)
            let server = try await LoopbackServer.start { request in
                Self.secrets(request.headers, request.body).forEach { canary.watch(Secret($0)) }
                return Self.echo(of: request, shape: shape.withLock { $0 })
            }
            let lying = try stage.configuration(changing: "any") {
                $0["endpoints"] = .object(["token": .string(server.origin + "/token")])
            }
            let environment = try environment(stage).merging(["IDENTITY_CONFIG": lying]) { $1 }
            let id = try await stage.login("any").sessionID
            var statuses: [Int32] = []
            for number in 0..<6 {
                shape.withLock { $0 = number }
                for format in [["--json"], []] {
                    for arguments in [
                        ["login", "--provider", "any", "--callback", "sandbox"],
                        ["token", "--session", id, "--valid-for", "7200"],
                        [
                            "compare", "--provider", "any", "--callback", "sandbox", "--html",
                            stage.folder.path + "/lies.html",
                        ],
                    ] {
                        let ended = try await LabProcess(arguments + format + ["--verbose"], environment: environment)
                            .ended()
                        statuses.append(ended.status)
                        learn(stage, canary)
                        #expect(
                            canary.findings(inText: ended.output + ended.errors) == [],
                            "\(arguments), shape \(number)"
                        )
                    }
                }
            }
            await server.stop()
            #expect(canary.count > 30)
            #expect(Set(statuses).isSuperset(of: [1, 2, 75]), "\(statuses)")
            for (name, bytes) in try files(stage) { #expect(canary.findings(in: bytes) == [], "\(name)") }
        }
    }

    /// An error response that repeats its request, in one of several forms.
    private static func echo(of request: LoopbackRequest, shape: Int) -> LoopbackResponse {
        let text =
            secrets(request.headers, request.body).joined(separator: " ")
            + String(decoding: request.body, as: UTF8.self)
        let error: JSONObject = [
            "error": .string(shape == 1 ? text : "invalid_client"), "error_description": .string(text),
        ]
        let json = JSONValue.object(error).serialized
        let type = ("Content-Type", "application/json")
        return switch shape {
        case 0: .message(status: 400, headers: [type], body: json)
        case 1: .message(status: 400, headers: [type], body: json)
        case 2: .message(status: 500, headers: [("Content-Type", "text/html")], body: Array("<pre>\(text)</pre>".utf8))
        case 3:
            .message(status: 302, headers: [("Location", "https://id.example/?\(FormEncoding.escape(text))")], body: [])
        case 4:
            .message(
                status: 200,
                headers: [type],
                body: Array("{\"access_token\":\"\(text)\",\"access_token\":1}".utf8)
            )
        default:
            .message(
                status: 401,
                headers: [type, ("WWW-Authenticate", "Basic \(FormEncoding.escape(text))")],
                body: json
            )
        }
    }
}
