import IdentityTesting
import IdentityWeb
import Testing

@Suite("The adapter for Hummingbird")
struct AdapterTests {
    @Test(
        "the adapter passes the conformance suite for adapters over a real socket",
        arguments: WebAdapterConformance.cases
    )
    func conformance(_ testCase: WebAdapterConformance.Case) async throws {
        let server = try await StageServer.start(address: "127.0.0.1") { _ in WebAdapterConformance.handler }
        do {
            try await testCase.run { try await WebAdapterConformance.exchange($0, port: UInt16(server.port)) }
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }

    @Test("the routes get the client's IP address")
    func address() async throws {
        let server = try await StageServer.start(address: "127.0.0.1") { _ in WebAdapterConformance.handler }
        let answer = try await server.exchange("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        await server.stop()
        #expect(answer.contains("client 127.0.0.1\n"))
    }
}
