import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityPlatform
import IdentitySandbox
import StorefrontSandbox
import Synchronization
import TestDirectories
import TestPostgres
import TestProcesses
import Testing

@Suite("The program web-shop with a configuration file", .timeLimit(.minutes(10)))
struct ProgramTests {
    private static let origin = "https://shop.example"

    /// Signs a buyer in at the shop, ends the program, and starts it again with the same file: the buyer is still signed in.
    ///
    /// `store` is the section `store` of the configuration without its key.
    private func signIn(
        _ store: JSONObject,
        _ variables: [String: String] = [:],
        in folder: TemporaryDirectory
    ) async throws {
        let sandbox = try await ShopSandbox.start(storefront: .wholeShop)
        let made = sandbox.labConfiguration(app: Self.origin)
        var (root, store) = (try #require(made.json.object), store)
        store["key"] = .object(["env": .string("IDENTITY_STORE_KEY")])
        root["store"] = .object(store)
        let file = try folder.write(String(decoding: JSONValue.object(root).serialized, as: UTF8.self), to: "shop.json")
        let environment = made.environment.merging(variables) { $1 }

        var jar = CookieJar()
        for round in 1...2 {
            let arguments = ["--config", file, "--origin", Self.origin, "--port", "0"]
            let status = try await RunningProgram.run(arguments, environment) { program in
                let line = try #require(await program.line(after: "Forward its requests to "))
                // From this line on, SIGTERM no longer ends the program at once.
                #expect(await program.line(after: "The shop is open: ") == Self.origin)
                let address = String(line.prefix { $0 != "," })
                // The buyer's browser uses the public origin. `get` plays the proxy, which forwards requests to the address.
                func get(_ target: String) async throws -> HTTPResponse {
                    let url = try HTTPURL(Self.origin + target)
                    var request = HTTPRequest(
                        method: .get,
                        url: try HTTPURL(address + target),
                        allowsLoopbackHTTP: true
                    )
                    if let cookies = jar.header(for: url) { try request.headers.set("Cookie", cookies) }
                    let answer = try await CurlTransport().send(request)
                    jar.absorb(answer, from: url)
                    return answer
                }
                #expect(String(decoding: try await get("/").body, as: UTF8.self).contains("/products/analytical-mug"))
                if round == 1 {
                    let sent = try await get("/auth/login/shopify?return=/account")
                    let callback = try await SandboxBuyer().callback(
                        at: sent.headers["Location"] ?? "",
                        redirectURI: "\(Self.origin)/auth/callback/shopify"
                    )
                    let back = try await get(String(callback.url.dropFirst(Self.origin.count)))
                    #expect(back.status == 303 && back.headers["Location"] == "/account")
                }
                let account = try await get("/account")
                let text = String(decoding: account.body, as: UTF8.self)
                #expect(account.status == 200 && text.contains("Signed in with Shopify."))
                // The page has this sentence only if the configuration has the section `customerAccount`.
                #expect(text.contains("You have no orders yet."))
            }
            #expect(status == 0)
        }
        // The shop does not send the proxy's address as the buyer's IP.
        #expect(sandbox.storefront.requests.allSatisfy { $0.header("Shopify-Storefront-Buyer-IP") == nil })
        await sandbox.stop()
    }

    @Test("SQLite: the shop opens, signs a buyer in, and the buyer is signed in after a restart")
    func sqlite() async throws {
        let folder = try TemporaryDirectory("web-shop-program")
        defer { folder.remove() }
        try await signIn(["path": .string(folder.path(of: "identity.sqlite"))], in: folder)
        #expect(FileManager.default.fileExists(atPath: folder.path(of: "identity.sqlite")))
    }

    @Test(
        "PostgreSQL: the shop opens, signs a buyer in, and the buyer is signed in after a restart",
        .enabled(if: TestPostgresServer.isAvailable, "apt-get install libpq-dev postgresql")
    )
    func postgreSQL() async throws {
        let folder = try TemporaryDirectory("web-shop-program")
        defer { folder.remove() }
        let server = try await TestPostgresServer.shared
        let store: JSONObject = [
            "postgres": .object(["env": .string("DATABASE_URL")]), "schema": .string("web_shop_program"),
        ]
        try await signIn(store, ["DATABASE_URL": server.local().reveal()], in: folder)
    }

    @Test("a shop that cannot start removes its temporary store")
    func failedStart() async throws {
        let folder = try TemporaryDirectory("web-shop-program")
        defer { folder.remove() }
        let arguments = ["--origin", "https://shop.example/path", "--port", "0"]
        let status = try await RunningProgram.run(arguments, ["TMPDIR": folder.path]) { program in
            #expect(await program.line(after: "✗ ")?.contains("publicOrigin") == true)
            // The program ends by itself.
            #expect(await program.line(after: "Open ") == nil)
        }
        #expect(status == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test("a second signal ends the program at once, although a request is still being handled")
    func secondSignal() async throws {
        let sandbox = try await ShopSandbox.start(storefront: .wholeShop)
        let folder = try TemporaryDirectory("web-shop-program")
        defer { folder.remove() }
        let made = sandbox.labConfiguration(app: Self.origin, storePath: folder.path(of: "identity.sqlite"))
        let file = try folder.write(String(decoding: made.json.serialized, as: UTF8.self), to: "shop.json")
        sandbox.storefront.planFault(.delay(.seconds(20)), on: .storefront, times: 5)
        let arguments = ["--config", file, "--origin", Self.origin, "--port", "0"]
        let status = try await RunningProgram.run(arguments, made.environment) { program in
            let line = try #require(await program.line(after: "Forward its requests to "))
            let url = try HTTPURL(line.prefix { $0 != "," } + "/")
            let visit = Task {
                try await CurlTransport().send(HTTPRequest(method: .get, url: url, allowsLoopbackHTTP: true))
            }
            while sandbox.storefront.requests.isEmpty { try await Task.sleep(for: .milliseconds(20)) }
            // A dedicated thread sends the signals, because other tests can delay a task. Five seconds after the first signal, the
            // program gives up the request.
            let isRunning = Mutex(true)
            _ = DedicatedThread.start {
                var goesOn = true
                while goesOn {
                    goesOn = isRunning.withLock { isRunning in
                        if isRunning { program.terminate() }
                        return isRunning
                    }
                    usleep(200_000)
                }
            }
            while await program.line(after: "") != nil {}
            isRunning.withLock { $0 = false }
            visit.cancel()
        }
        #expect(status == 128 + SIGTERM)
        await sandbox.stop()
    }

    @Test("the public origin may have uppercase letters, a default port and a slash at the end")
    func spelledOrigin() async throws {
        let arguments = ["--origin", "https://Shop.example:443/", "--port", "0"]
        let status = try await RunningProgram.run(arguments, [:]) { program in
            #expect(await program.line(after: "The shop is open: ") == "https://shop.example")
        }
        #expect(status == 0)
    }

    #if !PostgreSQL
    @Test("without the package trait, a configured PostgreSQL database is an error that names the trait")
    func withoutTrait() async throws {
        let folder = try TemporaryDirectory("web-shop-program")
        defer { folder.remove() }
        let json =
            #"{"store":{"postgres":"postgresql://shop@/shop"},"storefront":{"shopDomain":"a.example","publicToken":"t"}}"#
        let arguments = ["--config", try folder.write(json, to: "shop.json"), "--port", "0"]
        let status = try await RunningProgram.run(arguments, [:]) { program in
            let error = try #require(await program.line(after: "✗ "))
            #expect(error.contains("package trait PostgreSQL") && error.contains("--traits PostgreSQL"))
        }
        #expect(status == 1)
    }
    #endif
}

private struct RunningProgram {
    private let process: Spawned
    private let output: LineReader
    private let errors: LineReader

    /// Starts the program, runs the body, ends the program by SIGTERM, and returns its exit status.
    static func run(
        _ arguments: [String],
        _ environment: [String: String],
        _ body: (RunningProgram) async throws -> Void
    ) async throws -> Int32 {
        let process = try Spawned.start(Spawned.path(of: "web-shop"), arguments, environment)
        let (output, errors) = (LineReader(process.output), LineReader(process.errors))
        let program = RunningProgram(process: process, output: output, errors: errors)
        do {
            try await body(program)
        } catch {
            _ = await program.end()
            throw error
        }
        return await program.end()
    }

    /// The rest of the next line that begins with a text; nil if the program ends before.
    func line(after start: String) async -> String? {
        while let line = await output.next() {
            if line.hasPrefix(start) { return String(line.dropFirst(start.count)) }
        }
        return nil
    }

    func terminate() { kill(process.identifier, SIGTERM) }

    private func end() async -> Int32 {
        terminate()
        while await output.next() != nil {}
        while await errors.next() != nil {}
        let status = await process.ended()
        close(process.input)
        output.end()
        errors.end()
        return status
    }
}
