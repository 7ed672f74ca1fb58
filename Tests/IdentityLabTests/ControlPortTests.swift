import Foundation
import IdentityHTTP
import IdentityKit
import IdentityTesting
import TestGuides
import Testing

@Suite("The control port of identity-lab sandbox", .timeLimit(.minutes(10)))
struct ControlPortTests {
    @Test("GET lists all commands, and the guide has a row for each")
    func list() async throws {
        try await SandboxProcess.with { sandbox in
            let response = try await sandbox.get(sandbox.control)
            #expect(response.status == 200 && response.headers["Cache-Control"] == "no-store")
            let commands = try #require(try JSONValue(parsing: response.body)["commands"]?.object)
            #expect(!String(decoding: response.body, as: UTF8.self).contains(sandbox.token))
            let guide = try Repository.text("Documentation/Using/Sandbox.md")
            for (name, command) in commands.members {
                let row = try #require(guide.split(separator: "\n").first { $0.hasPrefix("| `\(name)` |") }, "\(name)")
                #expect(command["summary"]?.string?.isEmpty == false)
                for member in command["members"]?.object?.members ?? [] {
                    #expect(row.contains("`\(member.name)`"), "\(name) \(member.name)")
                }
            }
            #expect(try await sandbox.get(sandbox.control + "rotate-keys").status == 405)
            #expect(try await sandbox.get(sandbox.control + "x").status == 404)
        }
    }

    @Test("a command without the token of this run, or for another host, has no effect")
    func token() async throws {
        try await SandboxProcess.with { sandbox in
            let id = try await sandbox.login("any")
            let access = try await sandbox.accessToken(of: id)
            let url = sandbox.control + "expire-access-tokens"
            for headers in [
                [], [("Authorization", "Bearer " + sandbox.token + "0")], [("Authorization", sandbox.token)],
                [("Authorization", "Basic " + sandbox.token)], [("Cookie", "token=" + sandbox.token)],
            ] {
                #expect(try await sandbox.post(url, "{}", headers).status == 401, "\(headers)")
            }
            #expect(try await sandbox.post(url + "?token=" + sandbox.token, "", []).status == 401)
            #expect(try await sandbox.post(sandbox.control + "no-such-command", "", []).status == 401)
            let port = try HTTPURL(sandbox.control).port
            for (host, status) in [
                ("127.0.0.1:\(port)", 200), ("localhost:\(port)", 421), ("evil.example:\(port)", 421),
                ("evil.example", 421),
            ] {
                let request = """
                    POST /remove-faults HTTP/1.1\r\nHost: \(host)\r\nAuthorization: Bearer \(sandbox.token)\r\n\
                    Content-Length: 0\r\nConnection: close\r\n\r\n
                    """
                let bytes = try await WebAdapterConformance.exchange(Array(request.utf8), port: port)
                let answer = String(decoding: bytes, as: UTF8.self)
                #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(answer)")
            }
            #expect(try await sandbox.apiStatus("any", access) == 200)
        }
    }

    @Test("a command with an unknown member or a wrong value is refused, and the error names the member")
    func strict() async throws {
        try await SandboxProcess.with { sandbox in
            for (command, body, status, text) in [
                ("rotate-key", "{}", 404, "did you mean rotate-keys?"), ("x", "", 404, "no command x."),
                ("rotate-keys?keepOld=true", "", 400, "not have a query"),
                ("rotate-keys", "[]", 400, "must be a JSON object"),
                ("rotate-keys", "{", 400, "not valid JSON"),
                ("rotate-keys", #"{"keepOld":true,"keepOld":false}"#, 400, "not valid JSON"),
                ("rotate-keys", #"{"keepold":true}"#, 400, "Member keepold is not known; did you mean keepOld?"),
                ("rotate-keys", #"{"keepOld":"true"}"#, 400, "Member keepOld must be true or false"),
                ("rotate-keys", #"{"provider":"Shopify"}"#, 400, "Member provider must be one of"),
                ("rotate-keys", #"{"provider":"bolt-sfcc"}"#, 400, "one of shopify, bolt, openid"),
                ("advance-clock", "", 400, "Member seconds is missing"),
                ("advance-clock", #"{"seconds":-1}"#, 400, "Member seconds must be an integer from 1"),
                ("advance-clock", #"{"seconds":1.5}"#, 400, "Member seconds must be an integer"),
                ("set-access-token-lifetime", "{}", 400, "Member seconds is missing"),
                ("end-sessions", "", 400, "Member email is missing"),
                ("end-sessions", #"{"email":"nobody@example.com"}"#, 400, "a buyer of the sandbox"),
                ("revoke-tokens", #"{"email":"nobody@example.com"}"#, 400, "a buyer of the sandbox"),
                ("plan-fault", "", 400, "Member fault is missing"),
                ("plan-fault", #"{"fault":"tokenOutag"}"#, 400, "Member fault must be one of tokenOutage"),
                ("plan-fault", #"{"fault":"tokenLost","times":0}"#, 400, "Member times"),
                ("plan-fault", #"{"fault":"storefrontOutage","provider":"bolt"}"#, 400, "a fault of the shop"),
                ("set-order", #"{"email":"ada@example.com"}"#, 400, "Member number is missing"),
                ("set-order", #"{"number":1,"email":"a@b.example","financialStatus":"paid"}"#, 400, "one of PENDING"),
            ] {
                let answer = try await sandbox.send(command, body)
                #expect(answer.status == status, "\(command) \(body) \(answer)")
                #expect(answer.json["error"]?.string?.contains(text) == true, "\(command) \(body) \(answer)")
                #expect(answer.json["hint"]?.string?.contains("Configuration.md") == false, "\(answer)")
            }
            let hint = try await sandbox.send("rotate-keys", #"{"keep":true}"#).json["hint"]?.string
            #expect(hint?.contains("Known members: keepOld, provider. See \"The control port\"") == true)
        }
    }

    @Test("without --json, standard error can be sourced by a shell, also after requests")
    func text() async throws {
        let process = try LabProcess(["sandbox", "--app", "http://127.0.0.1:8080"], environment: [:])
        var file = ""
        while let line = await process.nextLine() {
            file += line + "\n"
            if line == "}" { break }
        }
        let provider = try JSONValue(parsing: Array(file.utf8))["providers"]?["any"]
        let issuer = try #require(provider?["issuer"]?.string)
        let url = try HTTPURL(issuer + "/'$(exit%201)'%0Aexit?a")
        _ = try await CurlTransport().send(HTTPRequest(method: .get, url: url, allowsLoopbackHTTP: true))
        process.signal(2)
        let ended = await process.ended()
        #expect(ended.status == 0)
        #expect(ended.errors.contains(/export SANDBOX_CONTROL_URL='http:\/\/127\.0\.0\.1:[0-9]+\/'\n/))
        #expect(ended.errors.contains(/export SANDBOX_CONTROL_TOKEN='[0-9a-f]{48}'\n/))
        #expect(ended.errors.contains("#   any: http://127.0.0.1:8080/auth/callback/any\n"))
        #expect(ended.errors.contains("\n# GET /"))
        for line in ended.errors.split(separator: "\n") {
            #expect(line.hasPrefix("#") || line.wholeMatch(of: /export [A-Z_]+='[^']*'/) != nil, "\(line)")
        }
    }
}
