import Glibc
import Testing

@testable import IdentityHTTP

@Suite struct LoopbackServerTests {
    @Test("requests in one packet are answered in order over one connection")
    func pipelining() async throws {
        let server = try await LoopbackServer.start { request in
            .message(status: 200, headers: [], body: Array((request.method + " " + request.target).utf8) + request.body)
        }
        let answer = try await exchange(
            server,
            "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
                + "POST /b?q=1 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nde\r\n1\r\nf\r\n0\r\nT: t\r\n\r\n"
                + "HEAD /c HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        )
        #expect(
            answer
                == "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nPOST /aabc"
                + "HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\nPOST /b?q=1def"
                + "HTTP/1.1 200 OK\r\nContent-Length: 7\r\nConnection: close\r\n\r\n"
        )
        await server.stop()
    }

    @Test(
        "what is not HTTP is refused and the connection ends",
        arguments: [
            ("garbage\r\n\r\n", 400),
            ("GET / HTTP/2.0\r\n\r\n", 400),
            ("GET http://evil.example/ HTTP/1.1\r\n\r\n", 400),
            ("GET / HTTP/1.1\nHost: x\n\n\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nA : x\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nA: x\u{0}y\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n", 400),
            ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n", 413),
            ("POST / HTTP/1.1\r\nContent-Length: 5000000\r\n\r\n", 413),
            ("GET / HTTP/1.1\r\nA: LONG", 431),
        ]
    )
    func hostileInput(input: String, status: Int) async throws {
        let server = try await LoopbackServer.start { _ in .message(status: 200, headers: [], body: []) }
        let long = String(repeating: "x", count: 70_000)
        let answer = try await exchange(
            server,
            input.split(separator: "LONG", omittingEmptySubsequences: false).joined(separator: long)
        )
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
        #expect(answer.hasSuffix("Connection: close\r\n\r\n"))
        await server.stop()
    }

    @Test("a request may arrive byte by byte")
    func drip() async throws {
        let server = try await LoopbackServer.start { request in
            .message(status: 200, headers: [("Connection", "close")], body: request.body)
        }
        let socket = try RawSocket(port: server.port)
        for byte in "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n".utf8 {
            socket.send([byte])
        }
        #expect(await socket.readToEnd().hasSuffix("\r\n\r\nabc"))
        await server.stop()
    }

    @Test("stop closes connections that wait for a handler, and a second stop returns")
    func stop() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        let server = try await LoopbackServer.start { _ in
            arrived.yield()
            try? await Task.sleep(for: .seconds(600))
            return .message(status: 200, headers: [], body: [])
        }
        let socket = try RawSocket(port: server.port)
        socket.send(Array("GET / HTTP/1.1\r\n\r\n".utf8))
        for await _ in arrivals { break }
        await server.stop()
        await server.stop()
        #expect(await socket.readToEnd() == "")
    }

    @Test("a script sends raw bytes, waits and resets")
    func script() async throws {
        let server = try await LoopbackServer.start { request in
            request.path == "/reset"
                ? .script([.send(Array("par".utf8)), .reset])
                : .script([.send(Array("a".utf8)), .delay(.milliseconds(20)), .send(Array("b".utf8)), .close])
        }
        #expect(try await exchange(server, "GET / HTTP/1.1\r\n\r\n") == "ab")
        let socket = try RawSocket(port: server.port)
        socket.send(Array("GET /reset HTTP/1.1\r\n\r\n".utf8))
        _ = await socket.readToEnd()
        #expect(socket.wasReset)
        await server.stop()
    }

    @Test("a silent client is let go")
    func idle() async throws {
        let server = try await LoopbackServer.start(idleTimeout: .milliseconds(50)) { _ in .message(status: 200) }
        #expect(try await exchange(server, "") == "")
        #expect(try await exchange(server, "GET / HT").hasPrefix("HTTP/1.1 408 "))
        await server.stop()
    }

    @Test("form fields are decoded byte by byte")
    func fields() {
        let request = LoopbackRequest(
            method: "POST",
            target: "/p?a=1&b=%26%3D+x&&c&=d&e=%zz%4",
            body: Array("x=1&\u{301}y=2%2B".utf8)
        )
        #expect(request.path == "/p")
        #expect(
            request.queryFields().map { "\($0.0)|\($0.1)" } == ["a|1", "b|&= x", "c|", "|d", "e|%zz%4"]
        )
        #expect(request.formFields().map { "\($0.0)|\($0.1)" } == ["x|1", "\u{301}y|2+"])
    }

    @Test("the server can listen on ::1, and a taken port is an error")
    func addresses() async throws {
        let server = try await LoopbackServer.start(address: .v6) { _ in .message(status: 200) }
        #expect(server.origin == "http://[::1]:\(server.port)")
        await #expect(throws: LoopbackServerError.self) {
            _ = try await LoopbackServer.start(port: server.port, address: .v6) { _ in .message(status: 200) }
        }
        await server.stop()
    }

    private func exchange(_ server: LoopbackServer, _ text: String) async throws -> String {
        let socket = try RawSocket(port: server.port)
        socket.send(Array(text.utf8))
        return await socket.readToEnd()
    }
}
