import Foundation
import IdentityPlatform
import IdentityTesting
import TestDirectories
import TestDoubles
import Testing

@testable import IdentityHTTP
@testable import IdentityLoopback

/// Properties that `TransportConformance` cannot observe: memory, the environment, and the addresses of host names.
@Suite("Limits of CurlTransport")
struct TransportLimitsTests {
    @Test("a header whose value is empty or blank is sent", arguments: ["", " ", "\t \t"])
    func blankHeader(value: String) async throws {
        let server = try await LoopbackServer.start { request in
            .message(status: request.header("X-Blank") == "" ? 200 : 400)
        }
        var request = try HTTPRequest.patient(server.origin + "/")
        try request.headers.set("X-Blank", value)
        #expect(try await CurlTransport().send(request).status == 200)
        await server.stop()
    }

    @Test("a large body is sent without the header Expect, for whose answer libcurl would wait")
    func largeBody() async throws {
        let server = try await LoopbackServer.start { request in
            .message(status: request.header("Expect") == nil && request.body.count == 2 << 20 ? 200 : 400)
        }
        var request = try HTTPRequest.patient(server.origin + "/")
        (request.method, request.body) = (.post, [UInt8](repeating: 65, count: 2 << 20))
        #expect(try await CurlTransport().send(request).status == 200)
        await server.stop()
    }

    @Test("a response of 300 MB uses no more memory than the limit")
    func memory() async throws {
        // The test needs a separate process, whose memory no other test uses.
        await #expect(processExitsWith: .success) {
            let piece = LoopbackAction.send([UInt8](repeating: 65, count: 1 << 16))
            let heads = ["Content-Length: 314572800\r\n\r\n", "\r\n", "Transfer-Encoding: chunked\r\n\r\n12c00000\r\n"]
            for head in heads {
                let start = LoopbackAction.send(Array("HTTP/1.1 200 OK\r\n\(head)".utf8))
                let server = try await LoopbackServer.start { _ in
                    .script([start] + Array(repeating: piece, count: 4800) + [.delay(.seconds(600))])
                }
                let request = try HTTPRequest.patient(server.origin + "/")
                let transport = try CurlTransport()
                let before = try peakMemory()
                await #expect(throws: HTTPTransportError.self) { try await transport.send(request) }
                let grown = try peakMemory() - before
                #expect(grown < 16 << 10, "the peak grew by \(grown) KiB")
                await server.stop()
            }
        }
    }

    @Test(
        "a Content-Length that is larger than the memory reserves no memory, without a body and with an unlimited one"
    )
    func hugeLength() async {
        // The test needs a separate process, because reserving this much memory would crash the process.
        await #expect(processExitsWith: .success) {
            for (limit, status) in [(1000, "204 No Content"), (Int.max, "200 OK")] {
                var reader = LimitedResponseReader(limits: HTTPLimits(maximumBodyBytes: limit), isHead: false)
                for line in ["HTTP/1.1 \(status)\r\n", "Content-Length: 999999999999999999\r\n", "\r\n"] {
                    let isRead = unsafe Array(line.utf8).withUnsafeBytes { unsafe reader.appendLine($0) }
                    #expect(isRead)
                }
                let isRead = unsafe [UInt8(65)].withUnsafeBytes { unsafe reader.appendBody($0) }
                #expect(isRead)
            }
        }
    }

    @Test("a body of exactly the limit is accepted, and one more byte is refused, however the body ends")
    func bodyCap() async throws {
        let cap = 1000
        let ways: [(name: String, make: @Sendable (Int) -> [UInt8])] = [
            ("until the connection closes", { Array("\r\n".utf8) + [UInt8](repeating: 65, count: $0) }),
            (
                "in chunks",
                { count in
                    let body = String(repeating: "A", count: count - 1)
                    let size = String(count - 1, radix: 16)
                    return Array("Transfer-Encoding: chunked\r\n\r\n\(size)\r\n\(body)\r\n1\r\nA\r\n0\r\n\r\n".utf8)
                }
            ),
            (
                "after so many bytes",
                { Array("Content-Length: \($0)\r\n\r\n".utf8) + [UInt8](repeating: 65, count: $0) }
            ),
        ]
        for (name, make) in ways {
            for count in [cap - 1, cap, cap + 1] {
                let bytes = Array("HTTP/1.1 200 OK\r\nConnection: close\r\n".utf8) + make(count)
                let server = try await LoopbackServer.start { _ in .script([.send(bytes)]) }
                let request = HTTPRequest(
                    method: .get,
                    url: try HTTPURL(server.origin + "/"),
                    limits: HTTPLimits(
                        connectTimeout: .seconds(60),
                        firstByteTimeout: .seconds(60),
                        totalTimeout: .seconds(60),
                        maximumBodyBytes: cap
                    ),
                    allowsLoopbackHTTP: true
                )
                do throws(HTTPTransportError) {
                    let response = try await CurlTransport().send(request)
                    #expect(count <= cap, "\(count) bytes \(name)")
                    #expect(response.body.count == count, "\(name)")
                } catch {
                    #expect(count > cap, "\(count) bytes \(name)")
                    #expect(error.code == .bodyTooLarge, "\(name)")
                }
                await server.stop()
            }
        }
    }

    @Test("more than 512 response headers are refused, however small they are")
    func headerCount() async throws {
        for (count, isGood) in [(511, true), (512, false)] {
            let fields = String(repeating: "A: b\r\n", count: count)
            let bytes = Array("HTTP/1.1 200 OK\r\n\(fields)Content-Length: 0\r\n\r\n".utf8)
            let server = try await LoopbackServer.start { _ in .script([.send(bytes)]) }
            let request = try HTTPRequest.patient(server.origin + "/")
            let code = await failure(try CurlTransport(), request)?.code
            #expect(code == (isGood ? nil : .headersTooLarge))
            await server.stop()
        }
    }

    @Test("very large limits are accepted, and limits of zero or less refuse the response")
    func oddLimits() async throws {
        let server = try await LoopbackServer.start { _ in .message(status: 200, headers: [], body: [1]) }
        let transport = try CurlTransport()
        var request = try HTTPRequest.patient(server.origin + "/")
        let eternity = Duration.seconds(Int64.max)
        request.limits = HTTPLimits(
            connectTimeout: eternity,
            firstByteTimeout: eternity,
            totalTimeout: eternity,
            maximumBodyBytes: .max,
            maximumHeaderBytes: .max
        )
        #expect(try await transport.send(request).body == [1])
        request.limits = HTTPLimits(totalTimeout: .seconds(-1))
        #expect(await failure(transport, request)?.code == .timedOut)
        request.limits = .patient
        request.limits.maximumBodyBytes = 0
        #expect(await failure(transport, request)?.code == .bodyTooLarge)
        request.limits = .patient
        request.limits.maximumHeaderBytes = -1
        #expect(await failure(transport, request)?.code == .headersTooLarge)
    }

    @Test("no connection attempt is made to an address that the policy refuses, given by number or by name")
    func noKnock() async throws {
        let (listener, port) = try LoopbackSocket.listen(on: .v4, port: 0)
        defer { close(listener) }
        for host in ["127.0.0.1", "localhost"] {
            var request = HTTPRequest(method: .get, url: try HTTPURL("https://\(host):\(port)/"), limits: .patient)
            request.addressPolicy = .publicOnly
            let error = await failure(try CurlTransport(), request)
            #expect(error?.code == .addressRefused && error?.phase == .notSent)
            #expect(LoopbackSocket.accept(listener) < 0)
        }
    }

    @Test("a name is refused when one of its addresses is refused")
    func mixedResponses() async throws {
        // libcurl knows both addresses of localhost without a name server (RFC 6761 section 6.3).
        let (listener, port) = try LoopbackSocket.listen(on: .v4, port: 0)
        defer { close(listener) }
        let (other, _) = try LoopbackSocket.listen(on: .v6, port: port)
        defer { close(other) }
        let asked = Counter()
        var request = HTTPRequest(method: .get, url: try HTTPURL("https://localhost:\(port)/"), limits: .patient)
        request.addressPolicy = AddressPolicy(name: "all but the first") { _ in
            asked.count()
            return asked.total > 1
        }
        let error = await failure(try CurlTransport(), request)
        #expect(error?.code == .addressRefused && error?.phase == .notSent)
        #expect(LoopbackSocket.accept(listener) < 0 && LoopbackSocket.accept(other) < 0)
    }

    @Test("publicOrLoopback permits loopback and public addresses, and no private ones")
    func publicOrLoopback() throws {
        let hosts = [
            ("127.0.0.1", true), ("::1", true), ("1.1.1.1", true), ("10.0.0.1", false), ("169.254.169.254", false),
            ("192.168.1.1", false), ("100.64.0.1", false), ("0.0.0.0", false), ("::", false), ("fd00::1", false),
            ("::ffff:127.0.0.1", false), ("::7f00:1", false), ("fe80::1", false), ("224.0.0.1", false),
            ("255.255.255.255", false), ("fd00:ec2::254", false), ("2002:7f00:1::", false), ("64:ff9b::a00:1", false),
            ("64:ff9b::a9fe:a9fe", false),
        ]
        for (host, isAllowed) in hosts {
            let address = try #require(ResolvedAddress(host: host, port: 443))
            #expect(AddressPolicy.publicOrLoopback.allows(address) == isAllowed, "\(host)")
        }
    }

    @Test("the passwords of a .netrc are not sent")
    func netrc() async throws {
        // The test needs a separate process, because the environment belongs to the whole process.
        await #expect(processExitsWith: .success) {
            let home = try TemporaryDirectory("home")
            defer { home.remove() }
            let file = try home.write("machine 127.0.0.1 login canary password canary\n", to: ".netrc")
            unsafe setenv("HOME", home.path, 1)
            unsafe setenv("NETRC", file, 1)
            let server = try await LoopbackServer.start { request in
                .message(status: request.header("Authorization") == nil ? 200 : 418)
            }
            let response = try await CurlTransport().send(.patient(server.origin + "/"))
            #expect(response.status == 200)
        }
    }
}

/// The maximum memory of this process so far, in KiB.
private func peakMemory() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return Int(line?.filter(\.isNumber) ?? "") ?? 0
}
