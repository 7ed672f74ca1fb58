import Foundation
import IdentityHTTP
import IdentityPlatform
import TestDirectories
import TestDoubles
import Testing

@testable import IdentityLoopback

@Suite(.enabled(if: TLSServer.openssl != nil, "apt-get install openssl")) struct TLSTests {
    @Test("a certificate is accepted only if the configured authority issued it")
    func authority() async throws {
        let server = try await TLSServer()
        let trusting = try CurlTransport(configuration: .init(certificateAuthorityFile: server.authorityFile))
        let response = try await trusting.send(request("https://127.0.0.1:\(server.port)/"))
        #expect(response.status == 200)
        #expect(try await trusting.send(request("https://localhost:\(server.port)/")).status == 200)
        await expectRefusal(try CurlTransport(), "https://127.0.0.1:\(server.port)/")
        let otherServer = try await TLSServer()
        await expectRefusal(trusting, "https://127.0.0.1:\(otherServer.port)/")
    }

    @Test(
        "a server is reached although the IPv4 address or the IPv6 address of its name does not answer",
        arguments: [(LoopbackAddress.v4, "127.0.0.1", "[::1]"), (.v6, "[::1]", "127.0.0.1")]
    )
    func silentAddress(kind: LoopbackAddress, silent: String, other: String) async throws {
        let server = try await TLSServer(options: ["-accept", "\(other):0"])
        let (listener, port) = try LoopbackSocket.listen(on: kind, port: UInt16(server.port))
        defer { close(listener) }
        // With a queue for one connection, which nobody accepts, Linux ignores every further attempt to connect.
        try #require(listen(listener, 0) == 0)
        let first = Task { try await CurlTransport().send(request("https://\(silent):\(port)/")) }
        defer { first.cancel() }
        while !LoopbackSocket.hasInput(listener) { await Task.yield() }
        // libcurl knows both addresses of localhost without a name server. If it tried only one address at a time, it would wait for a
        // silent first address during half of the connect timeout.
        var second = try request("https://localhost:\(port)/")
        second.limits.firstByteTimeout = second.limits.connectTimeout / 3
        let transport = try CurlTransport(configuration: .init(certificateAuthorityFile: server.authorityFile))
        #expect(try await transport.send(second).status == 200)
    }

    @Test("the configured authority also verifies the certificate of an https proxy")
    func proxyAuthority() async throws {
        let server = try await TLSServer(isInteractive: true)
        let transport = try CurlTransport(
            configuration: .init(
                certificateAuthorityFile: server.authorityFile,
                proxy: try HTTPURL("https://127.0.0.1:\(server.port)")
            )
        )
        let channel = dup(server.channel)
        let started = DedicatedThread.start {
            var text: [UInt8] = []
            var byte: UInt8 = 0
            while !String(decoding: text, as: UTF8.self).contains("CONNECT a.invalid:443") {
                guard unsafe read(channel, &byte, 1) == 1 else { break }
                text.append(byte)
            }
            let refusal = Array("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n".utf8)
            _ = unsafe write(channel, refusal, refusal.count)
            close(channel)
        }
        try #require(started)
        // Another error code would mean that the handshake has failed.
        await #expect {
            try await transport.send(request("https://a.invalid/"))
        } throws: {
            ($0 as? HTTPTransportError)?.code == .connectionFailed
        }
    }

    @Test("a certificate for another name is refused", arguments: ["DNS:other.example", "IP:127.0.0.2", "DNS:*.1"])
    func hostName(names: String) async throws {
        let server = try await TLSServer(names: names)
        let transport = try CurlTransport(configuration: .init(certificateAuthorityFile: server.authorityFile))
        await expectRefusal(transport, "https://127.0.0.1:\(server.port)/")
    }

    @Test("an expired certificate is refused")
    func expired() async throws {
        let server = try await TLSServer(isExpired: true)
        let transport = try CurlTransport(configuration: .init(certificateAuthorityFile: server.authorityFile))
        await expectRefusal(transport, "https://127.0.0.1:\(server.port)/")
    }

    @Test("TLS 1.2 is accepted and TLS 1.1 is refused, also if the system's OpenSSL would accept it")
    func version() async throws {
        // The test needs a separate process whose OpenSSL accepts every version, so that only the transport can refuse.
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory("openssl")
            defer { directory.remove() }
            let lenient = """
                openssl_conf = a
                [a]
                ssl_conf = b
                [b]
                system_default = c
                [c]
                MinProtocol = TLSv1
                CipherString = DEFAULT:@SECLEVEL=0
                """
            unsafe setenv("OPENSSL_CONF", try directory.write(lenient, to: "openssl.cnf"), 1)
            for (version, isGood) in [("-tls1_2", true), ("-tls1_1", false)] {
                let server = try await TLSServer(options: [version, "-cipher", "DEFAULT:@SECLEVEL=0"])
                let transport = try CurlTransport(configuration: .init(certificateAuthorityFile: server.authorityFile))
                let url = try HTTPURL("https://127.0.0.1:\(server.port)/")
                let response = try? await transport.send(HTTPRequest(method: .get, url: url, limits: .patient))
                #expect((response?.status == 200) == isGood)
            }
        }
    }

    @Test(
        "a request that is sent once succeeds after the server has closed the idle connection",
        arguments: ["-tls1_2", "-tls1_3"]
    )
    func closedWhileIdle(version: String) async throws {
        // The program sends the file, then close_notify and FIN.
        let server = try await TLSServer(options: [version, "-HTTP"])
        try server.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", to: "file")
        let transport = try CurlTransport(configuration: .init(certificateAuthorityFile: server.authorityFile))
        var request = try request("https://127.0.0.1:\(server.port)/file")
        request.isSentOnce = true
        var answers: [[UInt8]] = []
        // On a busy machine the server may close the connection later. Then a longer pause is needed.
        for pause in [300, 5_000, 20_000] where answers.count < 3 {
            answers = []
            while answers.count < 3, let response = try? await transport.send(request) {
                answers.append(response.body)
                try await Task.sleep(for: .milliseconds(pause))
            }
        }
        #expect(answers == Array(repeating: Array("ok".utf8), count: 3))
    }

    @Test("a connection is used again, also if the server has sent session tickets", arguments: ["-tls1_2", "-tls1_3"])
    func usedAgain(version: String) async throws {
        let server = try await TLSServer(options: [version], isInteractive: true)
        let transport = try CurlTransport(configuration: .init(certificateAuthorityFile: server.authorityFile))
        let handshakes = try respond(on: server, with: [[""], [""], [""]])
        for _ in 1...3 {
            #expect(try await transport.send(request("https://127.0.0.1:\(server.port)/")).status == 200)
            try await Task.sleep(for: .milliseconds(300))
        }
        #expect(handshakes.total == 1)
    }

    @Test(
        "a second response behind the first one, or later on the idle connection, does not answer the next request",
        arguments: ["-tls1_2", "-tls1_3"],
        [false, true]
    )
    func planted(version: String, isLate: Bool) async throws {
        let second = Array("second".utf8)
        var body: [UInt8]?
        // On a busy machine the late response may arrive after the next request. Then a longer pause is needed.
        for pause in isLate ? [600, 5_000, 20_000] : [0] where body != second {
            let server = try await TLSServer(options: [version], isInteractive: true)
            let transport = try CurlTransport(configuration: .init(certificateAuthorityFile: server.authorityFile))
            _ = try respond(on: server, with: [["first", "planted"], ["second"]], together: !isLate)
            // The transport may also refuse the first response.
            _ = try? await transport.send(request("https://127.0.0.1:\(server.port)/"))
            try await Task.sleep(for: .milliseconds(pause))
            body = try? await transport.send(request("https://127.0.0.1:\(server.port)/")).body
        }
        #expect(body == second)
    }

    @Test("a body larger than the limit is also refused over HTTP/2, and the rest of it is not read")
    func endlessHTTP2() async throws {
        let server = try await EndlessHTTP2Server()
        let transport = try CurlTransport(
            configuration: .init(certificateAuthorityFile: server.tls.authorityFile, offersHTTP2: true)
        )
        var request = try request("https://127.0.0.1:\(server.tls.port)/")
        request.limits = HTTPLimits(
            firstByteTimeout: .seconds(60),
            totalTimeout: .seconds(60),
            maximumBodyBytes: 32 << 10
        )
        // A client that speaks HTTP/1.1 would wait for the response until the deadline.
        await #expect {
            try await transport.send(request)
        } throws: {
            ($0 as? HTTPTransportError)?.code == .bodyTooLarge
        }
        #expect(server.frames.total < 16 << 6, "\(server.frames.total) frames of 16 KiB were accepted")
        await transport.close()
    }

    @Test("a server that does not speak TLS is refused before a byte of the request is sent")
    func plainServer() async throws {
        let server = try await LoopbackServer.start { _ in .message(status: 200) }
        await expectRefusal(try CurlTransport(), "https://127.0.0.1:\(server.port)/")
        await server.stop()
    }

    @Test(
        "a connection that breaks during the handshake is a failed connection, not a fault of TLS",
        arguments: [true, false]
    )
    func brokenHandshake(isReset: Bool) async throws {
        let (listener, port) = try LoopbackSocket.listen(on: .v4, port: 0)
        #expect(fcntl(listener, F_SETFL, 0) == 0)
        let started = DedicatedThread.start {
            defer { close(listener) }
            let connection = accept(listener, nil, nil)
            var room = [UInt8](repeating: 0, count: 16 << 10)
            _ = unsafe read(connection, &room, room.count)
            if isReset { LoopbackSocket.resetOnClose(connection) }
            close(connection)
        }
        try #require(started)
        await #expect {
            try await CurlTransport().send(request("https://127.0.0.1:\(port)/"))
        } throws: { error in
            let error = error as? HTTPTransportError
            return error?.code == .connectionFailed && error?.phase == .notSent
        }
    }

    @Test("an unreadable file of certificate authorities is an error when the transport starts")
    func missingFile() {
        for file in ["/nonexistent/ca.pem", "ca\u{0}.pem"] {
            #expect(throws: HTTPTransportError.self) {
                try CurlTransport(configuration: .init(certificateAuthorityFile: file))
            }
        }
    }

    // Sends the responses with these bodies for each request, at once or with a pause between them, and counts the handshakes.
    private func respond(
        on server: TLSServer,
        with bodies: [[String]],
        together isTogether: Bool = true
    ) throws -> Counter {
        let (channel, handshakes) = (dup(server.channel), Counter())
        let started = DedicatedThread.start {
            defer { close(channel) }
            for bodies in bodies {
                var text = ""
                var byte: UInt8 = 0
                while !text.hasSuffix("\r\n\r\n") {
                    guard unsafe read(channel, &byte, 1) == 1 else { return }
                    text.unicodeScalars.append(Unicode.Scalar(byte))
                }
                if text.contains("BEGIN SSL SESSION") { handshakes.count() }
                let responses = bodies.map { "HTTP/1.1 200 OK\r\nContent-Length: \($0.utf8.count)\r\n\r\n\($0)" }
                for response in isTogether ? [responses.joined()] : responses {
                    _ = unsafe write(channel, response, response.utf8.count)
                    if !isTogether { usleep(200_000) }
                }
            }
        }
        try #require(started)
        return handshakes
    }

    private func request(_ url: String) throws -> HTTPRequest {
        HTTPRequest(method: .get, url: try HTTPURL(url), limits: .patient)
    }

    private func expectRefusal(_ transport: CurlTransport, _ url: String) async {
        await #expect {
            try await transport.send(request(url))
        } throws: { error in
            let error = error as? HTTPTransportError
            return error?.code == .tlsFailed && error?.phase == .notSent
        }
    }
}
