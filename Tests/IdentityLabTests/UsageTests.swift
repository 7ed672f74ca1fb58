import Foundation
import IdentityKit
import IdentityLoopback
import StorefrontSandbox
import TestDirectories
import TestGuides
import Testing

@Suite("identity-lab errors and help", .timeLimit(.minutes(10)))
struct UsageTests {
    @Test(
        "an invalid command line exits with 2 and names the help",
        arguments: [
            ["login", "--frobnicate"], ["lgoin"], ["login", "extra"], ["token"], ["token", "--session", "short"],
            ["token", "--session"], ["login", "--json=yes"], ["login", "--callback", "pigeon"], ["--session", "x"],
            ["keys"], ["keys", "rotat"], ["keys", "list", "verify"], ["list", "keys"], ["login", "list"],
            ["login", "--provider", "a", "--provider", "b"], ["sandbox", "--port", "70000"],
            ["login", "--max-age", "-1"], ["login", "--max-age", "soon"], ["login", "--parameter", "audience"],
            ["login", "--parameter", "=x"], ["login", "--prompt"], ["login", "--prompt", "a", "--prompt", "b"],
            ["sandbox", "--require-par=no"],
            ["token", "--session", "AAAAAAAAAAAAAAAAAAAAAA", "--valid-for", "-1"],
            ["cart", "--session", "AAAAAAAAAAAAAAAAAAAAAA", "--line", "gid://x/1:0"],
            ["cart", "--session", "AAAAAAAAAAAAAAAAAAAAAA", "--cart", "gid://shopify/Checkout/1"],
            ["cart", "--session", "AAAAAAAAAAAAAAAAAAAAAA", "--line", "gid://x/1", "--buyer-ip", "localhost"],
        ]
    )
    func usage(_ arguments: [String]) async throws {
        let plain = try await LabProcess(arguments, environment: [:]).ended()
        #expect(plain.status == 2)
        #expect(plain.output.isEmpty)
        #expect(plain.errors.contains("--help"))
        let json = try await LabProcess(arguments + ["--json"], environment: [:]).ended()
        #expect(json.status == 2)
        #expect(try json.events().count == 1)
        #expect(try json.event("error")["code"]?.string == "usage_invalid")
        #expect(try json.event("error")["correlation_id"]?.string?.isEmpty == false)
    }

    @Test("the JSON of an error has the cause to which a hint may refer")
    func cause() async throws {
        let server = try await LoopbackServer.start { _ in .message(status: 200) }
        let ended = try await LabProcess(["sandbox", "--port", "\(server.port)", "--json"], environment: [:]).ended()
        #expect(try ended.event("error")["code"]?.string == "port_taken")
        #expect(try ended.event("error")["cause"]?.string?.isEmpty == false)
        await server.stop()
    }

    @Test("options and their values may precede the command")
    func order() async throws {
        let id = "AAAAAAAAAAAAAAAAAAAAAA"
        let ended = try await LabProcess(["--session", id, "--reveal", "--json", "token"], environment: [:]).ended()
        #expect(ended.status == 2)
        #expect(try ended.event("error")["code"]?.string == "configuration_invalid")
    }

    @Test("a value may begin with two dashes, as some session ids do, unless it names an option")
    func dashes() async throws {
        let id = "--AAAAAAAAAAAAAAAAAAAA"
        for arguments in [["token", "--session", id], ["--session", id, "token"]] {
            let ended = try await LabProcess(arguments + ["--json"], environment: [:]).ended()
            #expect(try ended.event("error")["code"]?.string == "configuration_invalid", "\(ended)")
        }
        for next in ["--refresh", "--config=x", "--line"] {
            let ended = try await LabProcess(["token", "--session", next, "--json"], environment: [:]).ended()
            #expect(try ended.event("error")["message"]?.string?.hasPrefix("--session ID needs a value. Write") == true)
        }
        let empty = try await LabProcess(["token", "--session", "", "--refresh", "--json"], environment: [:]).ended()
        #expect(try empty.event("error")["message"]?.string == "--session ID needs a value.")
    }

    @Test(
        "an error names a misspelt option and the right one, and does not repeat the session id after it",
        arguments: [
            (["token", "--sesion"], "Unknown option \"--sesion\".", "Did you mean --session?"),
            (["--sesion"], "Unknown option \"--sesion\".", "Did you mean --session?"),
            (["keys", "--stor"], "Unknown option \"--stor\".", "Did you mean --store?"),
            (["token"], "Unexpected argument", "Did you mean --session ID?"),
            (["logout"], "Unexpected argument", "Did you mean --session ID?"),
            (["login"], "Unexpected argument", "Run \"identity-lab login --help\""),
            ([], "Unknown command", "--help"),
        ]
    )
    func misspelt(_ arguments: [String], _ message: String, _ hint: String) async throws {
        let id = "AAAAAAAAAAAAAAAAAAAAAA"
        let ended = try await LabProcess(arguments + [id, "--json"], environment: [:]).ended()
        let error = try ended.event("error")
        #expect(error["message"]?.string?.hasPrefix(message) == true, "\(ended)")
        #expect(error["hint"]?.string?.contains(hint) == true, "\(ended)")
        #expect(!ended.output.contains(id) && !ended.errors.contains(id))
    }

    @Test("a session id that begins with a dash is not repeated as an unknown option")
    func unknownDashes() async throws {
        let id = "--AAAAAAAAAAAAAAAAAAAA"
        let ended = try await LabProcess(["token", id, "--json"], environment: [:]).ended()
        #expect(try ended.event("error")["message"]?.string?.hasPrefix("Unknown option") == true, "\(ended)")
        #expect(!ended.output.contains(id) && !ended.errors.contains(id))
    }

    @Test("without a command, the hint of an error names the program's --help, which lists the option --callback")
    func journey() async throws {
        let wrong = try await LabProcess(["--callback=foo", "--json"], environment: [:]).ended()
        #expect(try wrong.event("error")["hint"]?.string == "Run \"identity-lab --help\" for usage.")
        let help = try await LabProcess(["--help"], environment: [:]).ended()
        #expect(help.output.contains("\n  --callback loopback|stdin|sandbox"))
    }

    @Test("the guide to the JSON output lists every event")
    func events() throws {
        let folder = Repository.root.appending(path: "Sources/identity-lab").path
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
        let printed = try files.flatMap { file in
            try Repository.text("Sources/identity-lab/\(file)").matches(of: /\Wevent\(\s*"(\w+)"/).map { $0.1 }
        }
        let listed = try Repository.text("Documentation/Operating/CommandLine.md").matches(of: /\n\| `(\w+)` \|/)
            .map { $0.1 }
        #expect(listed.count > 20 && listed.sorted() == Set(printed).sorted())
    }

    @Test("--help of the program and of every command shows examples")
    func help() async throws {
        for command in [
            [], ["login"], ["token"], ["profile"], ["sessions"], ["logout"], ["cart"], ["check"], ["keys"], ["compare"],
            ["sandbox"], ["serve"], ["call"],
        ] {
            let ended = try await LabProcess(command + ["--help"], environment: [:]).ended()
            #expect(ended.status == 0)
            #expect(ended.errors.isEmpty)
            #expect(ended.output.contains("Examples:"))
        }
    }

    @Test("the help says which options a command needs")
    func requiredOptions() async throws {
        let cart = try await LabProcess(["cart", "--help"], environment: [:]).ended().output
        #expect(
            cart.hasPrefix("identity-lab cart --session ID [--line MERCHANDISE_ID[:QUANTITY] ...] [--cart CART_ID]")
        )
        let sessions = try await LabProcess(["sessions", "--help"], environment: [:]).ended().output
        #expect(sessions.contains("List only the sessions of this provider.") && !sessions.contains("optional if"))
    }

    @Test("errors about a missing secret and an unknown member name their path")
    func configuration() async throws {
        try await LabStage.with { stage in
            let missing = try await stage.start("sessions", "--json", without: "SHOPIFY_CLIENT_SECRET").ended()
            #expect(missing.status == 2)
            let message = try #require(try missing.event("error")["message"]?.string)
            #expect(message.contains("providers.shopify.clientSecret") && message.contains("SHOPIFY_CLIENT_SECRET"))

            let file = try stage.configuration(changing: "any") { $0["colour"] = .string("red") }
            let unknown = try await stage.run("sessions", "--config", file, "--json")
            #expect(unknown.status == 2)
            #expect(try unknown.event("error")["message"]?.string?.contains("providers.any.colour") == true)

            let noKey = try await stage.start("sessions", "--json", without: "IDENTITY_STORE_KEY").ended()
            #expect(noKey.status == 2)
            #expect(try noKey.event("error")["message"]?.string?.contains("store.key") == true)

            let noFile = try await stage.run("sessions", "--config", "/nowhere/lab.json", "--json")
            #expect(noFile.status == 2)

            let unnamed = try await stage.run("login", "--json")
            #expect(unnamed.status == 2)
            let unknownProvider = try await stage.run("login", "--provider", "nobody", "--json")
            #expect(unknownProvider.status == 2)
            #expect(try unknownProvider.event("error")["code"]?.string == "provider_unknown")
        }
    }

    @Test("the section store names one database, and errors about it repeat no password")
    func store() async throws {
        let folder = try TemporaryDirectory("lab-store")
        defer { folder.remove() }
        #if PostgreSQL
        let (wrongMode, wrongURL) = ("sslmode", "connection string")
        #else
        let (wrongMode, wrongURL) = ("built without PostgreSQL", "built without PostgreSQL")
        #endif
        let cases = [
            (#"{"path":"x","postgres":"postgresql://u:pA55@127.0.0.1/d"}"#, "store.postgres"),
            (#"{"path":"x","schema":"s"}"#, "store.schema"),
            (#"{"postgres":{"env":"UNSET"}}"#, "store.postgres"),
            (#"{"postgres":"postgresql://u:pA55@db.example/d?sslmode=require"}"#, wrongMode),
            (#"{"postgres":{"env":"URL"}}"#, wrongURL),
            (#"{"postgres":7}"#, "store.postgres"),
            ("{}", "store.path"),
        ]
        let environment = ["IDENTITY_STORE_KEY": String(repeating: "ab", count: 32), "URL": "postgresql://u:pA55@/d"]
        for (number, (section, expected)) in cases.enumerated() {
            let path = folder.path(of: "\(number).json")
            try #"{"providers":{},"store":\#(section)}"#.write(toFile: path, atomically: true, encoding: .utf8)
            let arguments = ["sessions", "--config", path, "--json"]
            let ended = try await LabProcess(arguments, environment: environment).ended()
            #expect(ended.status == 2)
            #expect(try ended.event("error")["message"]?.string?.contains(expected) == true, "\(section)")
            #expect(!ended.output.contains("pA55") && !ended.errors.contains("pA55"))
        }
    }

    @Test("without --json errors go to standard error only")
    func plainErrors() async throws {
        let ended = try await LabProcess(["sessions"], environment: [:]).ended()
        #expect(ended.status == 2)
        #expect(ended.output.isEmpty)
        #expect(ended.errors.contains("--config"))
    }
}
