import IdentityHTTP
import IdentityLoopback
import IdentityPlatform
import Synchronization
import Testing

@Suite("Proxies of CurlTransport")
struct CurlProxyTests {
    @Test("proxies in environment variables are ignored")
    func environment() async throws {
        // The test needs a separate process, because the environment belongs to the whole process.
        await #expect(processExitsWith: .success) {
            let proxy = try await LoopbackServer.start { _ in .message(status: 502) }
            for name in ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
                unsafe setenv(name, proxy.origin, 1)
            }
            let server = try await LoopbackServer.start { _ in .message(status: 200) }
            let transport = try CurlTransport()
            let response = try await transport.send(.patient(server.origin + "/"))
            #expect(response.status == 200)
            // The server does not speak TLS, so the TLS handshake fails. A proxy would have refused the request before the handshake.
            await #expect {
                try await transport.send(.patient("https://localhost:\(server.port)/"))
            } throws: {
                ($0 as? HTTPTransportError)?.code == .tlsFailed
            }
        }
    }

    @Test("a configured proxy is used for all requests except those to loopback addresses")
    func proxy() async throws {
        let server = try await LoopbackServer.start { _ in .message(status: 200) }
        let proxy = try HTTPURL("http://127.0.0.1:\(server.port)")
        let transport = try CurlTransport(configuration: .init(proxy: proxy))
        // The server is not a proxy and responds to CONNECT with 400. The host name does not exist, so only the server can
        // have responded.
        await #expect {
            try await transport.send(.patient("https://a.invalid/"))
        } throws: {
            let error = $0 as? HTTPTransportError
            return error?.code == .connectionFailed && error?.phase == .notSent
        }
        #expect(try await transport.send(.patient(server.origin + "/")).status == 200)
    }

    @Test(
        "a proxy without a port is contacted at the default port of its scheme",
        arguments: [("http", 80), ("https", 443)]
    )
    func proxyPort(scheme: String, port: UInt16) async throws {
        let ports = Mutex<[UInt16]>([])
        let transport = try CurlTransport(configuration: .init(proxy: try HTTPURL("\(scheme)://127.0.0.1")))
        var request = HTTPRequest(method: .get, url: try HTTPURL("https://a.invalid/"))
        request.addressPolicy = AddressPolicy(name: "recording") { address in
            ports.withLock { $0.append(address.port) }
            return false
        }
        await #expect(throws: HTTPTransportError.self) { _ = try await transport.send(request) }
        #expect(ports.withLock { $0 } == [port])
    }
}
