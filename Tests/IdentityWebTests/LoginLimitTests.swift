import IdentityKit
import IdentityTesting
import IdentityWeb
import Testing

@Suite("The limit of sign-ins")
struct LoginLimitTests {
    @Test("too many sign-ins from one address get status 429, and more are permitted after some time")
    func limit() async throws {
        let stage = try await WebStage { _ in
        } routes: {
            $0.loginLimit.burst = 3
        }
        let browser = stage.browser()
        for _ in 0..<3 { #expect(try await browser.get("/auth/login/op").status == 303) }
        let refused = try await browser.get("/auth/login/op")
        #expect(refused.status == 429 && refused.headers["Retry-After"] == "6")
        stage.clock.advance(by: .seconds(6))
        #expect(try await browser.get("/auth/login/op").status == 303)
        #expect(try await browser.get("/auth/login/op").status == 429)
    }

    @Test("the addresses of an IPv6 /64 network count as one client, and a request without an address is not limited")
    func limitedClients() async throws {
        let stage = try await WebStage { _ in
        } routes: {
            $0.loginLimit.burst = 1
        }
        let unlimited = try await WebStage { _ in
        } routes: {
            ($0.loginLimit.burst, $0.loginLimit.interval) = (.max, .seconds(Int64.max))
        }
        let request = WebRequest(method: .get, target: "/auth/login/op", clientAddress: "2001:db8::1")
        #expect(await unlimited.routes.handle(request) { _ in .html("app") }.status == 303)
        func begin(_ address: String?) async -> Int {
            let request = WebRequest(method: .get, target: "/auth/login/op", clientAddress: address)
            return await stage.routes.handle(request) { _ in .html("app") }.status
        }
        for (address, status) in [
            ("2001:db8:1:2::1", 303), ("2001:db8:1:2:ffff::9", 429), ("2001:db8:1:3::1", 303), ("203.0.113.8", 303),
            ("203.0.113.9", 303), ("203.0.113.9", 429), (nil, 303), (nil, 303),
            // A server that listens for IPv4 and IPv6 on one socket reports IPv4 clients in this form.
            ("::ffff:203.0.113.20", 303), ("::ffff:203.0.113.21", 303), ("203.0.113.20", 429),
            ("64:ff9b::203.0.113.24", 303), ("64:ff9b::203.0.113.25", 303), ("203.0.113.24", 429),
            ("::ffff:cb00:7115", 429), ("::fffe:203.0.113.22", 303), ("::fffe:203.0.113.23", 429),
        ] {
            #expect(await begin(address) == status, "\(address ?? "none")")
        }
        // A /48 network has 65,536 networks of this size; it gets 64 times the limit of one.
        var statuses: [Int] = []
        for network in 1...65 { statuses.append(await begin("2001:db8:9:\(network)::1")) }
        #expect(statuses == Array(repeating: 303, count: 64) + [429])
    }
}
