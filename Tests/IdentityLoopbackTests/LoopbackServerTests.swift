import IdentityPlatform
import Testing

@testable import IdentityLoopback

@Suite struct LoopbackServerTests {
    @Test("requests in one packet get their responses in order over one connection")
    func pipelining() async throws {
        let server = try await LoopbackServer.start { request in
            .message(
                status: 200,
                headers: [("Date", "today")],
                body: Array((request.method + " " + request.target).utf8) + request.body
            )
        }
        let answer = try await exchange(
            server,
            "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
                + "POST /b?q=1 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nde\r\n1\r\nf\r\n0\r\nT: t\r\n\r\n"
                + "HEAD /c HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        )
        #expect(
            answer
                == "HTTP/1.1 200 OK\r\nDate: today\r\nContent-Length: 10\r\n\r\nPOST /aabc"
                + "HTTP/1.1 200 OK\r\nDate: today\r\nContent-Length: 14\r\n\r\nPOST /b?q=1def"
                + "HTTP/1.1 200 OK\r\nDate: today\r\nContent-Length: 7\r\nConnection: close\r\n\r\n"
        )
        await server.stop()
    }

    @Test(
        "input that is not HTTP is refused and the connection ends",
        arguments: [
            ("garbage\r\n\r\n", 400),
            ("GET / HTTP/2.0\r\n\r\n", 400),
            ("GET http://evil.example/ HTTP/1.1\r\nHost: x\r\n\r\n", 400),
            ("GET / HTTP/1.1\nHost: x\n\n\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\nA : x\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\nA: x\u{0}y\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", 400),
            ("POST / HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nhost: evil.example\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nA: x\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chun\u{212A}ed\r\n\r\n0\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n", 413),
            ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n\r\n", 413),
            ("GET / HTTP/1.1\r\nHost: x\r\nA: LONG", 431),
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

    @Test(
        "a response has the reason phrase of its status and, unless the handler sets it, the date",
        arguments: [
            (200, "OK"), (201, "Created"), (204, "No Content"), (303, "See Other"), (307, "Temporary Redirect"),
            (405, "Method Not Allowed"), (415, "Unsupported Media Type"), (421, "Misdirected Request"),
            (422, "Unprocessable Content"), (502, "Bad Gateway"), (299, "Successful"), (399, "Redirection"),
            (499, "Client Error"), (599, "Server Error"),
        ]
    )
    func statusLine(status: Int, reason: String) async throws {
        let before = Int(time(nil))
        let server = try await LoopbackServer.start { _ in .message(status: status) }
        let answer = try await exchange(server, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        let lines = answer.split(separator: "\r\n").map(String.init)
        #expect(lines.first == "HTTP/1.1 \(status) \(reason)")
        let dates = lines.filter { $0.hasPrefix("Date: ") }.map { String($0.dropFirst(6)) }
        #expect(dates.count == 1)
        let possible = (before...Int(time(nil))).map { HTTPDate.text(secondsSince1970: $0) }
        #expect(dates.allSatisfy { possible.contains($0) })
        await server.stop()
    }

    @Test(
        "dates are written in the format of the HTTP Date header",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"),
            (1_735_689_599, "Tue, 31 Dec 2024 23:59:59 GMT"), (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
        ]
    )
    func dates(seconds: Int, text: String) {
        #expect(HTTPDate.text(secondsSince1970: seconds) == text)
    }

    @Test("a request that arrives byte by byte is read")
    func drip() async throws {
        let server = try await LoopbackServer.start { request in
            .message(status: 200, headers: [("Connection", "close")], body: request.body)
        }
        let socket = try RawSocket(port: server.port)
        for byte in "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n".utf8 {
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
        socket.send(Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
        for await _ in arrivals { break }
        await server.stop()
        await server.stop()
        #expect(await socket.readToEnd() == "")
    }

    @Test("a scripted response sends raw bytes, waits, and resets the connection")
    func script() async throws {
        let server = try await LoopbackServer.start { request in
            request.path == "/reset"
                ? .script([.send(Array("par".utf8)), .reset])
                : .script([.send(Array("a".utf8)), .delay(.milliseconds(20)), .send(Array("b".utf8)), .close])
        }
        #expect(try await exchange(server, "GET / HTTP/1.1\r\nHost: x\r\n\r\n") == "ab")
        let socket = try RawSocket(port: server.port)
        socket.send(Array("GET /reset HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
        #expect(await socket.readToReset())
        await server.stop()
    }

    @Test("the connection of a silent client is closed")
    func idle() async throws {
        var answer = ""
        // On a busy machine the server may close the connection before the client has sent a byte. Then the timeout must be longer.
        for timeout in [50, 1_000, 20_000] where answer.isEmpty {
            var limits = LoopbackLimits()
            limits.idleTimeout = .milliseconds(timeout)
            let server = try await LoopbackServer.start(limits: limits) { _ in .message(status: 200) }
            #expect(try await exchange(server, "") == "")
            answer = try await exchange(server, "GET / HT")
            await server.stop()
        }
        #expect(answer.hasPrefix("HTTP/1.1 408 "))
    }

    @Test("a client that reads a large response slowly and steadily gets all of it", .timeLimit(.minutes(5)))
    func slowReader() async throws {
        let size = 32 << 20
        var count = 0
        // A busy machine may interrupt the flow for a second, so a second attempt is slower and has a longer timeout.
        for (timeout, pause) in [(1, 25_000), (15, 400_000)] as [(Int, UInt32)] where count <= size {
            var limits = LoopbackLimits()
            limits.idleTimeout = .seconds(timeout)
            let server = try await LoopbackServer.start(limits: limits) { _ in
                .message(status: 200, headers: [("Connection", "close")], body: [UInt8](repeating: 0x61, count: size))
            }
            let socket = try RawSocket(port: server.port)
            socket.send(Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
            // Reading takes longer than the idle timeout, but the bytes flow all the time.
            count = await socket.readToEnd(by: 256 << 10, pausing: pause).utf8.count
            await server.stop()
        }
        #expect(count > size)
    }

    @Test(
        "a new connection replaces the oldest idle one when the server is full, but none whose request is being handled",
        .timeLimit(.minutes(1))
    )
    func room() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        let (releases, release) = AsyncStream.makeStream(of: Void.self)
        var limits = LoopbackLimits()
        limits.connections = 4
        let server = try await LoopbackServer.start(limits: limits) { request in
            if request.path == "/slow" {
                arrived.yield()
                for await _ in releases {}
            }
            return .message(status: 200, headers: [("Connection", "close")], body: Array(request.path.utf8))
        }
        let slow = try RawSocket(port: server.port)
        slow.send(Array("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
        for await _ in arrivals { break }
        let silent = try (0..<12).map { _ in try RawSocket(port: server.port) }
        for socket in silent { socket.send(Array("GET /never-".utf8)) }
        #expect(try await exchange(server, "GET /new HTTP/1.1\r\nHost: x\r\n\r\n").hasSuffix("/new"))
        #expect(await silent[0].readToEnd() == "")
        release.finish()
        #expect(await slow.readToEnd().hasSuffix("/slow"))
        await server.stop()
    }

    @Test(
        "a new connection replaces an idle one, and not an older one whose client may not have read its response",
        .timeLimit(.minutes(1))
    )
    func draining() async throws {
        var pipe: [Int32] = [-1, -1]
        #expect(unsafe IdentityPlatform.pipe(&pipe) == 0)
        let (reader, writer) = (pipe[0], pipe[1])
        defer { [reader, writer].forEach { close($0) } }
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        var limits = LoopbackLimits()
        limits.connections = 2
        let server = try await LoopbackServer.start(limits: limits) { request in
            guard request.path == "/old" else {
                return .message(status: 200, headers: [("Connection", "close")], body: Array(request.path.utf8))
            }
            // Stops the thread that accepts connections, until the test writes to the pipe.
            return .script([
                .send(Array("old".utf8)),
                .call {
                    arrived.yield()
                    var byte: UInt8 = 0
                    _ = unsafe read(reader, &byte, 1)
                }, .close,
            ])
        }
        let (old, idle) = (try RawSocket(port: server.port), try RawSocket(port: server.port))
        old.send(Array("GET /old HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
        for await _ in arrivals { break }
        let new = try RawSocket(port: server.port)
        new.send(Array("GET /new HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
        #expect(unsafe write(writer, &pipe, 1) == 1)
        #expect(await new.readToEnd().hasSuffix("/new"))
        idle.send(Array("GET /idle HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
        #expect(await idle.readToEnd() == "")
        #expect(await old.readToEnd() == "old")
        await server.stop()
    }

    @Test(
        "if no descriptor is free, each new connection replaces the oldest idle one, and no other idle one is closed",
        .timeLimit(.minutes(1))
    )
    func descriptors() async {
        // The test needs a separate process, because the limit holds for the whole process.
        await #expect(processExitsWith: .success) {
            var pipe: [Int32] = [-1, -1]
            #expect(unsafe IdentityPlatform.pipe(&pipe) == 0)
            let (reader, writer) = (pipe[0], pipe[1])
            let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
            let server = try await LoopbackServer.start { request in
                guard request.path == "/stop" else {
                    return .message(status: 200, headers: [("Connection", "close")], body: Array("new".utf8))
                }
                // Stops the thread that accepts connections, until the test writes to the pipe.
                return .script([
                    .call {
                        arrived.yield()
                        var byte: UInt8 = 0
                        _ = unsafe read(reader, &byte, 1)
                    }
                ])
            }
            func connected(_ path: String?) throws -> RawSocket {
                let socket = try RawSocket(port: server.port)
                if let path { socket.send(Array("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n".utf8)) }
                return socket
            }
            let idle = try (0..<4).map { _ in try connected(nil) }
            let stopping = try connected("/stop")
            for await _ in arrivals { break }
            let new = try (0..<3).map { _ in try connected("/") }
            var last = dup(0)
            var limit = rlimit(rlim_cur: rlim_t(last) + 1, rlim_max: rlim_t(last) + 1)
            #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            while case let next = dup(0), next >= 0 { last = next }
            #expect(unsafe write(writer, &last, 1) == 1)
            for socket in new { #expect(await socket.readToEnd().hasSuffix("new")) }
            for socket in idle.prefix(3) { #expect(await socket.readToEnd() == "") }
            #expect(await stopping.readToEnd() == "")
            idle[3].send(Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
            #expect(await idle[3].readToEnd().hasSuffix("new"))
            await server.stop()
        }
    }

    @Test(
        "a head, a chunk line and trailers of exactly their limit are accepted, one more byte is refused, in any pieces"
    )
    func exactLimits() throws {
        var limits = LoopbackLimits()
        limits.headerBytes = 32
        func statuses(_ text: String, piece: Int) -> [Int] {
            var parser = LoopbackRequestParser(limits: limits)
            var found: [Int] = []
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                parser.append(rest.prefix(piece))
                rest = rest.dropFirst(piece)
                reading: while true {
                    switch parser.next() {
                    case .needsMore: break reading
                    case .expectsContinue: continue
                    case .request: found.append(200)
                    case .invalid(let status): found.append(status)
                    }
                }
            }
            return found
        }
        func chunked(line: Int, trailer: Int) -> String {
            let size = "0;" + String(repeating: "x", count: line - 2)
            let field = trailer == 0 ? "" : "T:" + String(repeating: "y", count: trailer - 2) + "\r\n"
            return "P / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\n\(field)\r\n"
        }
        for piece in [1, 2, 3, 5, 4096] {
            limits.headerBytes = 32
            let head = "GET / HTTP/1.1\r\nHost:\r\nA: "
            let room = limits.headerBytes - head.utf8.count
            #expect(statuses(head + String(repeating: "a", count: room) + "\r\n\r\n", piece: piece) == [200])
            #expect(statuses(head + String(repeating: "a", count: room + 1) + "\r\n\r\n", piece: piece) == [431])
            limits.headerBytes = 64
            #expect(statuses(chunked(line: 1024, trailer: 0), piece: piece) == [200])
            #expect(statuses(chunked(line: 1025, trailer: 0), piece: piece) == [400])
            #expect(statuses(chunked(line: 3, trailer: 64), piece: piece) == [200])
            #expect(statuses(chunked(line: 3, trailer: 65), piece: piece) == [431])
        }
    }

    @Test("form fields are decoded byte by byte")
    func fields() {
        let request = LoopbackRequest(
            method: "POST",
            target: "/p?a=1&b=%26%3D+x&&c&=d",
            body: Array("x=1&\u{301}y=2%2B".utf8)
        )
        #expect(request.path == "/p")
        #expect(request.queryFields().map { "\($0.0)|\($0.1)" } == ["a|1", "b|&= x", "c|", "|d"])
        #expect(LoopbackRequest(method: "GET", target: "/p?a=1&e=%zz%4").queryFields().isEmpty)
        #expect(request.formFields().map { "\($0.0)|\($0.1)" } == ["x|1", "\u{301}y|2+"])
    }

    @Test("the server can listen on ::1, and a taken port is an error")
    func addresses() async throws {
        let server = try await LoopbackServer.start(address: .v6) { _ in .message(status: 200) }
        #expect(server.origin == "http://[::1]:\(server.port)")
        let error = await #expect(throws: LoopbackServerError.self) {
            _ = try await LoopbackServer.start(port: server.port, address: .v6) { _ in .message(status: 200) }
        }
        #expect(error?.description.contains("bind to port \(server.port) failed") == true)
        await server.stop()
    }

    private func exchange(_ server: LoopbackServer, _ text: String) async throws -> String {
        let socket = try RawSocket(port: server.port)
        socket.send(Array(text.utf8))
        return await socket.readToEnd()
    }
}
