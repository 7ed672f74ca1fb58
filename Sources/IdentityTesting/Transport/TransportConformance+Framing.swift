internal import IdentityHTTP
internal import IdentityLoopback
internal import Synchronization

extension TransportConformance {
    static let framingCases: [Case] = [
        Case("a response that is not HTTP is refused") { probe in
            let lines = [
                "hello, this is HTTP/0.9", "HTTP/1.1 2000 OK", "HTTP/1.1 20 OK", "HTTP/1.1 OK", "HTTP/1.1 -20 OK",
                "HTTP/1.1 2e2 OK", "HTTP/1.1 200\u{0} OK", "HTTP/1.1 200 O\u{0}K", "HTTP/1.1 200 O\rK",
                "HTTP/1.1 099 OK",
                "ICY 200 OK", "RTSP/1.0 200 OK", "HTP/1.1 200 OK", "HTTP/1.1 101 Switching Protocols",
            ]
            try await expectViolation(probe, lines.map { $0 + "\r\nContent-Length: 0\r\n\r\n" })
        },
        Case("a header that two parsers could read differently is refused") { probe in
            let fields = [
                "X: a\r\n folded", "X: a\r\n\tfolded", "X: a\u{0}b", "X: a\rb", "X: a\rY: b", "X : a", "X\u{0}Y: a",
                "X Y: a",
                ": a", "no colon", "X: a\u{7F}",
            ]
            try await expectViolation(probe, fields.map { "HTTP/1.1 200 OK\r\n\($0)\r\nContent-Length: 0\r\n\r\n" })
        },
        Case("a body with contradictory lengths is refused") { probe in
            let lengths = [
                "1\r\nContent-Length: 2", "1\r\nContent-Length: 1", "1, 1", "-1", "+1", "0x1", "1 1", "", "1;1",
                "99999999999999999999", "18446744073709551617", "1\r\nTransfer-Encoding: chunked",
            ]
            try await expectViolation(
                probe,
                lengths.map { "HTTP/1.1 200 OK\r\nContent-Length: \($0)\r\n\r\na" }
                    + ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n1\r\na\r\n0\r\n\r\n"]
            )
        },
        Case("an invalid chunk is refused") { probe in
            let bodies = [
                "zz\r\na\r\n0\r\n\r\n", "-1\r\na\r\n0\r\n\r\n", "\r\na\r\n0\r\n\r\n", "fffffffffffffffff\r\na",
                "ffffffffffffffff\r\na", "1\r\nab\r\n0\r\n\r\n", " \r\n",
            ]
            for body in bodies {
                let bytes = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(body)".utf8)
                let codes: Set<HTTPTransportError.Code> = [.protocolViolation, .connectionLost, .bodyTooLarge]
                do {
                    let response = try await probe.response(answering: .script([.send(bytes)]))
                    throw TransportProbe.Violation(
                        description:
                            "the invalid chunks \(body.debugDescription) were read as a body of \(response.body.count) bytes"
                    )
                } catch let error as HTTPTransportError {
                    try probe.expect(
                        codes.contains(error.code),
                        "got the error \(error.code.rawValue) instead of protocolViolation, connectionLost or bodyTooLarge"
                    )
                }
            }
        },
        Case("an unsolicited transfer coding is refused") { probe in
            let codings = [
                "gzip", "gzip, chunked", "chunked, gzip", "deflate", "identity",
                "chunked\r\nTransfer-Encoding: chunked",
                "chunked\r\nTransfer-Encoding: gzip", "xchunked", "chunked;q=1",
            ]
            try await expectViolation(
                probe,
                codings.map { "HTTP/1.1 200 OK\r\nTransfer-Encoding: \($0)\r\n\r\n1\r\na\r\n0\r\n\r\n" }
            )
        },
        Case("a truncated body is an error") { probe in
            let answers = [
                "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
                "HTTP/1.1 200 OK\r\nContent-Le",
            ]
            for answer in answers {
                try await probe.expect(.connectionLost, answering: .script([.send(Array(answer.utf8))]))
            }
        },
        Case("trailers do not change the response and have a size limit") { probe in
            let start = "HTTP/1.1 200 OK\r\nX: head\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n"
            let few = Array((start + "X: trailer\r\nContent-Encoding: gzip\r\nSet-Cookie: a=b\r\n\r\n").utf8)
            let response = try await probe.response(answering: .script([.send(few)]))
            try probe.expect(response, body: [0x61])
            try probe.expect(response.headers.values(for: "X") == ["head"], "the trailer X changed the header X")
            try probe.expect(response.headers["Set-Cookie"] == nil, "the trailer Set-Cookie became a header")
            let many = Array((start + String(repeating: "X: trailer\r\n", count: 100_000)).utf8)
            try await probe.expect(.headersTooLarge, answering: .script([.send(many), .delay(.seconds(60))]))
        },
        Case("bytes after a response are not the response to the next request") { probe in
            let planted = "HTTP/1.1 200 OK\r\nX-Planted: 1\r\nContent-Length: 7\r\n\r\nplanted"
            let starts = [
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na", "HTTP/1.1 204 No Content\r\n\r\n",
                "HTTP/1.1 304 Not Modified\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
            ]
            // The planted bytes arrive together with the response. After a `script`, the server closes the connection, although the
            // response has no `Connection: close`. After the `message`, the server keeps the connection open.
            let answers =
                starts.map { .script([.send(Array(($0 + planted).utf8)), .delay(.milliseconds(300))]) }
                + [
                    LoopbackResponse.message(
                        status: 200,
                        headers: [("Content-Length", "1")],
                        body: Array(("a" + planted).utf8)
                    )
                ]
            // With this response, the planted bytes arrive while the connection is idle.
            let isPlanted = Mutex(false)
            let late = LoopbackResponse.script([
                .send(Array(starts[0].utf8)), .delay(.milliseconds(200)), .send(Array(planted.utf8)),
                .call { isPlanted.withLock { $0 = true } }, .delay(.seconds(60)),
            ])
            for (answer, isLate) in answers.map({ ($0, false) }) + [(late, true)] {
                let handler: @Sendable (LoopbackRequest) async -> LoopbackResponse = { request in
                    request.path == "/first" ? answer : .message(status: 200)
                }
                try await probe.withServer(handler) { server, _ in
                    // The transport may also refuse the response to the first request.
                    _ = try? await probe.transport.send(probe.request(server, path: "/first"))
                    if isLate {
                        // If the transport has closed the connection, the server cannot send the planted bytes, and this loop ends
                        // after a minute.
                        for _ in 0..<6_000 where !isPlanted.withLock(\.self) {
                            try await Task.sleep(for: .milliseconds(10))
                        }
                        try await Task.sleep(for: .milliseconds(300))
                    }
                    let response = try await probe.transport.send(probe.request(server, path: "/second"))
                    try probe.expect(
                        response.headers["X-Planted"] == nil,
                        "the bytes after the first response were read as a response"
                    )
                    try probe.expect(response.body.isEmpty, "the bytes after the first response were read as a body")
                }
            }
        },
    ]

    private static func expectViolation(_ probe: TransportProbe, _ answers: [String]) async throws {
        for answer in answers {
            do {
                try await probe.expect(.protocolViolation, answering: .script([.send(Array(answer.utf8))]))
            } catch let violation as TransportProbe.Violation {
                throw TransportProbe.Violation(description: "\(violation) for \(answer.debugDescription)")
            }
        }
    }
}
