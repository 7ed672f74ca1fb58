import Foundation
import IdentityKit
import IdentityLoopback
import IdentitySandbox
import StorefrontSandbox
import TestDirectories
import Testing

@Suite("identity-lab check", .timeLimit(.minutes(10)))
struct CheckTests {
    /// One line of the output of `check`.
    private struct Point {
        let result: String
        let message: String
        let hint: String?
    }

    private func points(_ ended: LabProcess.Ended) throws -> [String: Point] {
        try ended.events().filter { $0["event"]?.string == "check" }.reduce(into: [:]) { points, event in
            let name = "\(event["subject"]?.string ?? "") \(event["point"]?.string ?? "")"
            points[name] = Point(
                result: event["result"]?.string ?? "",
                message: event["message"]?.string ?? "",
                hint: event["hint"]?.string
            )
        }
    }

    @Test("check reports no failure for a valid configuration, before and after the first sign-in")
    func good() async throws {
        try await LabStage.with { stage in
            let fresh = try await stage.run("check", "--json")
            #expect(fresh.status == 0, "\(fresh)")
            let first = try points(fresh)
            #expect(first["store open"]?.result == "warning")
            #expect(first["store open"]?.message.contains("does not exist yet") == true)
            for provider in ["shopify", "bolt", "any"] {
                #expect(first["providers.\(provider) members and secrets"]?.result == "ok")
                #expect(first["providers.\(provider) keys"]?.result == "ok", "\(provider)")
            }
            #expect(first["providers.any discovery"]?.message.contains(stage.sandbox.openID.issuer) == true)
            #expect(first["providers.any redirect URI"]?.result == "warning")
            #expect(first["storefront shop"]?.result == "ok" && first["customerAccount endpoint"]?.result == "ok")
            #expect(!first.values.contains { $0.result == "failed" })
            #expect(try fresh.event("checked")["failed"]?.number?.integer == 0)

            #expect(try await stage.login("any").status == 0)
            let later = try points(try await stage.run("check", "--json"))
            #expect(later["store open"]?.result == "ok" && later["store keys"]?.result == "ok")
            let plain = try await stage.run("check")
            #expect(plain.status == 0 && plain.output.contains("✓ store, open:"))
        }
    }

    @Test("a missing secret fails one provider, the others are checked, and no secret is printed")
    func secret() async throws {
        try await LabStage.with { stage in
            let ended = try await stage.start("check", "--json", without: "SHOPIFY_CLIENT_SECRET").ended()
            #expect(ended.status == 2)
            let found = try points(ended)
            let failed = found["providers.shopify members and secrets"]
            #expect(failed?.result == "failed" && failed?.message.contains("SHOPIFY_CLIENT_SECRET") == true)
            #expect(found["providers.any keys"]?.result == "ok" && found["storefront shop"]?.result == "ok")
            #expect(try ended.event("error")["hint"]?.string?.contains("providers.shopify") == true)
            for value in stage.environment.values where value.count > 20 && !value.hasPrefix("/") {
                #expect(!ended.output.contains(value) && !ended.errors.contains(value))
            }
        }
    }

    @Test("check reports a provider with the name that sessions of guests use, and checks the other points")
    func reservedName() async throws {
        let folder = try TemporaryDirectory("lab")
        defer { folder.remove() }
        let providers = #"{"guest":{"kind":"bolt-sfcc","host":"shop.example","siteID":"Shop"}}"#
        let file = try folder.write(#"{"providers":\#(providers)}"#, to: "guest.json")
        let ended = try await LabProcess(["check", "--config", file, "--json"], environment: [:]).ended()
        #expect(ended.status == 2, "\(ended)")
        let found = try points(ended)
        #expect(found["providers names"]?.result == "failed" && found["providers names"]?.hint != nil)
        #expect(found["providers.guest members and secrets"]?.result == "ok" && found["store open"] != nil)
    }

    @Test("check exits with 75 for a provider that is down, and reports keys that cannot be read as failed")
    func provider() async throws {
        try await LabStage.with { stage in
            stage.sandbox.openID.planFault(.status(503), on: .discovery, times: .max)
            let down = try await stage.run("check", "--json")
            #expect(down.status == 75)
            #expect(try points(down)["providers.any discovery"]?.result == "failed")
            // The keys are not checked, because they would fail for the same reason.
            #expect(try points(down)["providers.any keys"] == nil)
            let elsewhere = try stage.configuration(changing: "any") { $0["issuer"] = .string("http://127.0.0.1:1") }
            let unreachable = try await stage.run("check", "--config", elsewhere, "--json")
            #expect(unreachable.status == 75)
            #expect(try points(unreachable)["providers.any discovery"]?.message.contains("127.0.0.1") == true)
            stage.sandbox.openID.removeAllFaults()
            stage.sandbox.openID.planFault(.member("keys", .array([])), on: .jwks, times: .max)
            let empty = try await stage.run("check", "--json")
            #expect(empty.status != 0)
            #expect(try points(empty)["providers.any keys"]?.result == "failed")
        }
    }

    @Test("check detects a wrong clock by the Date of a response")
    func clock() async throws {
        try await LabStage.with { stage in
            stage.sandbox.openID.planFault(
                .header("Date", "Sun, 06 Nov 1994 08:49:37 GMT"),
                on: .discovery,
                times: .max
            )
            let ended = try await stage.run("check", "--json")
            #expect(ended.status == 2)
            let point = try points(ended)["clock 127.0.0.1"]
            #expect(point?.result == "failed" && point?.message.contains("ahead of") == true)
            #expect(point?.hint?.contains("NTP") == true)
        }
    }

    @Test("check adds the Age of a response from an HTTP cache to its Date")
    func cachedResponse() async throws {
        try await LabStage.with { stage in
            // The time of the response counts, because the program may need seconds until its request.
            let cached = SandboxFault.edit { response in
                let date = HTTPDate.text(secondsSince1970: Int(Date().timeIntervalSince1970) - 3_600)
                response.headers.removeAll { $0.name.lowercased() == "date" }
                response.headers += [("Date", date), ("Age", "3600")]
            }
            stage.sandbox.openID.planFault(cached, on: .discovery, times: .max)
            let ended = try await stage.run("check", "--json")
            #expect(ended.status == 0, "\(ended)")
            #expect(try points(ended)["clock 127.0.0.1"]?.result == "ok")
        }
    }

    @Test("check detects a wrong store key, a wrong Storefront token and an unknown member")
    func storeAndShop() async throws {
        try await LabStage.with { stage in
            #expect(try await stage.login("any").status == 0)
            var variables = stage.environment
            variables["IDENTITY_STORE_KEY"] = String(repeating: "cd", count: 32)
            variables["STOREFRONT_TOKEN"] = "shpat_wrong"
            let ended = try await LabProcess(["check", "--json"], environment: variables).ended()
            #expect(ended.status == 2)
            let found = try points(ended)
            #expect(found["store open"]?.result == "failed")
            #expect(found["storefront shop"]?.result == "failed" && found["storefront shop"]?.hint != nil)
            let file = try stage.configuration(changing: "any") { $0["colour"] = .string("red") }
            let unknown = try await stage.run("check", "--config", file, "--json")
            #expect(unknown.status == 2)
            #expect(
                try points(unknown)["providers.any members and secrets"]?.message.contains("providers.any.colour")
                    == true
            )
        }
    }

    @Test("check prints the Storefront version that the shop serves, not only the configured one")
    func servedVersion() async throws {
        try await LabStage.with { stage in
            let made = stage.sandbox.labConfiguration(storePath: stage.folder.appendingPathComponent("v.sqlite").path)
            var root = try #require(made.json.object)
            var shop = try #require(root["storefront"]?.object)
            let endpoint = try #require(shop["endpoint"]?.string)
            shop["apiVersion"] = .string("2025-01")
            shop["endpoint"] = .string(endpoint.replacing("2026-10", with: "2025-01"))
            root["storefront"] = .object(shop)
            let file = try stage.write(.object(root), to: "retired.json")
            let found = try points(try await stage.run("check", "--config", file, "--json"))
            #expect(
                found["storefront shop"]?.message.hasSuffix("serves version 2026-01 instead of 2025-01.") == true,
                "\(found)"
            )
            let current = try points(try await stage.run("check", "--json"))
            #expect(current["storefront shop"]?.message.hasSuffix("serves version 2026-10.") == true)
        }
    }

    @Test("a file that is not JSON is reported with line and column, and a store in a missing folder fails")
    func file() async throws {
        try await LabStage.with { stage in
            let broken = stage.folder.appendingPathComponent("broken.json")
            try Data("{\n  \"store\": {},\n}".utf8).write(to: broken)
            let ended = try await stage.run("check", "--config", broken.path, "--json")
            #expect(ended.status == 2)
            #expect(try ended.event("error")["message"]?.string?.contains("line 3, column 1") == true, "\(ended)")
            // A configuration file with a provider and no other section, as the guides of Shopify and Bolt begin.
            let alone = stage.folder.appendingPathComponent("alone.json")
            try Data(#"{"providers":{"b":{"kind":"bolt-sfcc","host":"shop.example","siteID":"Shop"}}}"#.utf8)
                .write(to: alone)
            let first = try await stage.run("check", "--config", alone.path, "--json")
            #expect(first.status == 0, "\(first)")
            #expect(try points(first)["store open"]?.result == "warning")
            let store = stage.folder.appendingPathComponent("missing/identity.sqlite").path
            let nowhere = try await stage.run("check", "--store", store, "--json")
            #expect(nowhere.status == 2)
            #expect(try points(nowhere)["store open"]?.message.contains("was not found") == true)
        }
    }

    @Test("check decrypts no session of a store whose number of records is unknown")
    func unknownNumberOfRecords() async throws {
        var withoutRefresh = SandboxConfiguration()
        withoutRefresh.openID.issuesRefreshTokens = false
        try await LabStage.with(withoutRefresh) { stage in
            #expect(try await stage.login("any").status == 0)
            // The store opens, but it cannot count the pending logins.
            let logins = stage.folder.appendingPathComponent("identity.sqlite.logins")
            try FileManager.default.removeItem(at: logins)
            try Data().write(to: logins)
            let ended = try await stage.run("check", "--json")
            #expect(ended.status != 0)
            let found = try points(ended)
            #expect(found["store open"]?.result == "ok" && found["store keys"]?.result == "failed")
            #expect(found["store sessions"] == nil && found["providers.any refresh token"] == nil)
        }
    }

    @Test("offline_access without prompt=consent, and a session without a refresh token, are warnings")
    func offlineAccess() async throws {
        try await LabStage.with { stage in
            let silent = try stage.configuration(changing: "any") {
                $0["scopes"] = .array([.string("openid"), .string("offline_access")])
                $0["prompt"] = nil
            }
            let warned = try await stage.run("check", "--config", silent, "--json")
            #expect(warned.status == 0)
            #expect(try points(warned)["providers.any offline_access"]?.result == "warning")
            let asked = try stage.configuration(changing: "any") {
                $0["scopes"] = .array([.string("openid"), .string("offline_access")])
                $0["prompt"] = .string("consent")
            }
            let fine = try points(try await stage.run("check", "--config", asked, "--json"))
            #expect(fine["providers.any offline_access"]?.result == "ok")
        }
        var withoutRefresh = SandboxConfiguration()
        withoutRefresh.openID.issuesRefreshTokens = false
        try await LabStage.with(withoutRefresh) { stage in
            #expect(try await stage.login("any").status == 0)
            let stored = try points(try await stage.run("check", "--json"))
            #expect(stored["providers.any refresh token"]?.result == "warning")
            let message = stored["providers.any refresh token"]?.message
            #expect(message?.contains("offline_access was not granted") == true, "\(message ?? "")")
            // The sessions of a large store are not decrypted.
            try await stage.addLoginAttempts(1_001)
            let large = try points(try await stage.run("check", "--json"))
            #expect(large["providers.any refresh token"] == nil)
            let sessions = large["store sessions"]
            #expect(sessions?.result == "ok" && sessions?.message.contains("no session was decrypted") == true)
        }
    }
}
