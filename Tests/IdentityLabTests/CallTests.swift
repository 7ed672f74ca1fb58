import IdentityHTTP
import IdentityKit
import IdentityLoopback
import IdentitySandbox
import StorefrontSandbox
import Synchronization
import Testing

@Suite("identity-lab call", .timeLimit(.minutes(10)))
struct CallTests {
    private final class Requests: Sendable {
        private let seen = Mutex<[LoopbackRequest]>([])
        var all: [LoopbackRequest] { seen.withLock(\.self) }
        func add(_ request: LoopbackRequest) -> Int {
            seen.withLock {
                $0.append(request)
                return $0.count
            }
        }
    }

    /// Signs in, and calls a resource server that responds to the n-th request with the n-th status, and then always with the last one.
    private func call(
        _ statuses: [Int],
        method: String = "GET",
        isListed: Bool = true,
        usesDPoP: Bool = false,
        headers: [(String, String)] = [],
        body: String = "order",
        format: [String] = ["--json"]
    ) async throws -> (ended: LabProcess.Ended, requests: [LoopbackRequest], refreshes: Int) {
        let requests = Requests()
        let server = try await LoopbackServer.start { request in
            let count = requests.add(request)
            let status = statuses[min(count, statuses.count) - 1]
            return .message(status: status, headers: status == 401 ? headers : [], body: Array(body.utf8))
        }
        var configuration = SandboxConfiguration()
        configuration.openID.dpop = usesDPoP ? .required : .off
        let stage = try await LabStage(configuration)
        let file = try stage.configuration(changing: "any") { entry in
            entry["resources"] = .array([.string(isListed ? server.origin : "https://api.example")])
            entry["dpop"] = .bool(usesDPoP)
        }
        let id = try await stage.login("any", ["--config", file]).sessionID
        let url = server.origin + "/orders?number=7"
        let arguments = ["call", "--session", id, "--config", file, "--method", method, url] + format
        let ended = try await LabProcess(arguments, environment: stage.environment).ended()
        let refreshes = stage.sandbox.openID.counters.refreshes
        await stage.close()
        await server.stop()
        return (ended, requests.all, refreshes)
    }

    @Test("call sends the token to an origin in resources, and prints the response")
    func listed() async throws {
        let (ended, requests, refreshes) = try await call([200], method: "DELETE")
        #expect(ended.status == 0, "\(ended)")
        #expect(try ended.event("call")["status"]?.number?.integer == 200)
        #expect(try ended.event("call")["body"]?.string == "order")
        let request = try #require(requests.first)
        #expect(requests.count == 1 && request.method == "DELETE" && request.query == "number=7")
        let token = try #require(request.header("Authorization"))
        #expect(token.hasPrefix("Bearer "))
        #expect(refreshes == 0)
        #expect(!ended.output.contains(token.dropFirst(7)) && !ended.errors.contains(token.dropFirst(7)))
    }

    @Test("call prints a body with its lines and tabs, and replaces other control characters")
    func lines() async throws {
        let body = "{\r\n\t\"a\": 1,\n\n  \"b\": \"\u{1B}[31m\"\n}"
        let ended = try await call([200], body: body, format: []).ended
        #expect(ended.output.contains("HTTP 200\n{\n\t\"a\": 1,\n\n  \"b\": \"\u{FFFD}[31m\"\n}"), "\(ended)")
    }

    @Test("a response with a status outside 200 to 299 makes call fail", arguments: [302, 404])
    func unsuccessful(status: Int) async throws {
        let ended = try await call([status]).ended
        #expect(try ended.status == 1 && ended.event("error")["code"]?.string == "unexpected_response", "\(ended)")
    }

    @Test("a refused token is refreshed once, and a second refusal is an error")
    func refused() async throws {
        let (ended, requests, refreshes) = try await call([401, 200])
        #expect(ended.status == 0, "\(ended)")
        #expect(refreshes == 1)
        #expect(Set(requests.map { $0.header("Authorization") }).count == 2)
        let again = try await call([401])
        #expect(again.ended.status == 1)
        #expect(try again.ended.event("error")["code"]?.string == "access_token_refused")
        #expect(again.refreshes == 1 && again.requests.count == 2)
    }

    @Test("an origin that is not in resources gets no request")
    func notListed() async throws {
        let (ended, requests, _) = try await call([200], isListed: false)
        #expect(ended.status == 2)
        #expect(try ended.event("error")["hint"]?.string?.contains("providers.any.resources") == true)
        #expect(requests.isEmpty)
    }

    @Test("a bound token is sent with a DPoP proof, and once more with the server's nonce, without a refresh")
    func bound() async throws {
        let challenge = [("WWW-Authenticate", #"DPoP error="use_dpop_nonce""#), ("DPoP-Nonce", "n-1")]
        let (ended, requests, refreshes) = try await call([401, 200], usesDPoP: true, headers: challenge)
        #expect(ended.status == 0, "\(ended)")
        #expect(refreshes == 0)
        #expect(requests.count == 2)
        #expect(requests.allSatisfy { $0.header("Authorization")?.hasPrefix("DPoP ") == true })
        #expect(Set(requests.map { $0.header("DPoP") }).count == 2)
    }
}
