internal import IdentityHTTP
internal import IdentityLoopback
internal import Synchronization

extension TransportConformance {
    static let limitCases: [Case] = [
        Case("a body larger than the limit is refused because of its Content-Length") { probe in
            // The server sends no byte of the body, so the transport must refuse the response because of its Content-Length alone.
            let head = LoopbackAction.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n".utf8))
            let answer = LoopbackResponse.script([head, .delay(.seconds(60))])
            try await probe.expect(.bodyTooLarge, answering: answer, limits: limits())
        },
        Case("a body larger than the limit is refused without Content-Length") { probe in
            let piece = LoopbackAction.send([UInt8](repeating: 65, count: 1 << 16))
            let head = LoopbackAction.send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
            let chunked = LoopbackAction.send(
                Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7ffffff\r\n".utf8)
            )
            for start in [head, chunked] {
                let script = [start] + Array(repeating: piece, count: 1000) + [.delay(.seconds(60))]
                try await probe.expect(.bodyTooLarge, answering: .script(script), limits: limits())
            }
        },
        Case("a body of exactly the limit is accepted") { probe in
            let body = [UInt8](repeating: 65, count: 1000)
            let answer = LoopbackResponse.message(status: 200, headers: [], body: body)
            try probe.expect(try await probe.response(answering: answer, limits: limits()), body: body)
        },
        Case("headers larger than the limit are refused") { probe in
            let many = String(repeating: "A: b\r\n", count: 50_000)
            let long = "A: " + String(repeating: "b", count: 300_000) + "\r\n"
            for fields in [many, long] {
                let bytes = Array("HTTP/1.1 200 OK\r\n\(fields)Content-Length: 0\r\n\r\n".utf8)
                try await probe.expect(.headersTooLarge, answering: .script([.send(bytes)]), limits: limits())
            }
        },
        Case("a body of 300 MB is read only up to the limit, plus the contents of the socket buffers") { probe in
            let heads = [
                "Content-Length: 314572800\r\n\r\n", "\r\n", "Transfer-Encoding: chunked\r\n\r\n12c00000\r\n",
                // Chunks of one byte, so that most bytes are framing.
                "Transfer-Encoding: chunked\r\n\r\n",
            ]
            for head in heads {
                let isTiny = head == heads.last
                let tiny = Array(String(repeating: "1\r\nA\r\n", count: 10_923).utf8)
                let piece = isTiny ? tiny : [UInt8](repeating: 65, count: 1 << 16)
                let taken = Mutex(0)
                let pieces = (0..<4800).flatMap { _ in
                    [LoopbackAction.send(piece), .call { taken.withLock { $0 += 1 } }]
                }
                let script = [.send(Array("HTTP/1.1 200 OK\r\n\(head)".utf8))] + pieces + [.delay(.seconds(60))]
                try await probe.expect(.bodyTooLarge, answering: .script(script), limits: limits(body: 1 << 20))
                // The socket buffers of both sides hold a few megabytes. With chunks of one byte, a megabyte of body is six
                // megabytes on the wire.
                let megabytes = taken.withLock(\.self) >> 4
                try probe.expect(
                    megabytes <= 24,
                    "the server could send \(megabytes) MB, although the body limit is 1 MB"
                )
            }
        },
        Case("endless interim responses are refused") { probe in
            let bytes = Array(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 10_000).utf8)
            let answer = LoopbackResponse.script([.send(bytes), .delay(.seconds(60))])
            try await probe.expect(.headersTooLarge, answering: answer, limits: limits())
        },
        Case("a content coding is not requested and not decoded") { probe in
            let gzip: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3, 0x4B, 4, 0, 0x43, 0xBE, 0xB7, 0xE8, 1, 0, 0, 0]
            let answer = LoopbackResponse.message(status: 200, headers: [("Content-Encoding", "gzip")], body: gzip)
            try await probe.withServer({ _ in answer }) { server, log in
                let response = try await probe.transport.send(probe.request(server))
                try probe.expect(response.body == gzip, "the gzip body was decoded or changed")
                let asked = log.all.first?.header("accept-encoding")
                try probe.expect(asked == nil || asked == "identity", "the request has Accept-Encoding: \(asked ?? "")")
            }
        },
        Case("a gzip bomb is not expanded") { probe in
            // A megabyte of zeros as a gzip member of one kilobyte, fifty times (RFC 1952 section 2.2).
            let start: [UInt8] = [
                0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3, 0xED, 0xC1, 0x31, 1, 0, 0, 0, 0xC2, 0xA0, 0xF5, 0x4F, 0x6D, 8, 0x5F,
                0xA0,
            ]
            let end: [UInt8] = [0x3E, 3, 0x1C, 0xEA, 0x38, 0xA7, 0, 0, 0x10, 0]
            let member = start + [UInt8](repeating: 0, count: 1016) + end
            let gzip = Array((0..<50).map { _ in member }.joined())
            for coding in ["gzip", "x-gzip", "gzip, gzip", "deflate"] {
                let headers = [("Content-Encoding", coding), ("Content-Type", "application/gzip")]
                let answer = LoopbackResponse.message(status: 200, headers: headers, body: gzip)
                let response = try await probe.response(answering: answer, limits: limits(body: gzip.count))
                try probe.expect(response.body == gzip, "the gzip body was decoded to \(response.body.count) bytes")
                try probe.expect(
                    response.headers["Content-Encoding"] == coding,
                    "the Content-Encoding header was removed"
                )
            }
        },
        Case("a server that does not respond is abandoned at the first-byte deadline") { probe in
            let answer = LoopbackResponse.script([.delay(.seconds(60))])
            try await expectDeadline(probe, answer, firstByte: .milliseconds(200))
        },
        Case("a server that sends slowly is abandoned at the total deadline") { probe in
            try await expectDeadline(
                probe,
                dripping("HTTP/1.1 200 OK\r\nContent-Length: 3000\r\n\r\n"),
                total: .milliseconds(400)
            )
        },
        Case("a response whose headers arrive slowly is ended at a deadline") { probe in
            let answer = dripping("HTTP/1.1 200 OK\r\nX: ")
            try await expectDeadline(probe, answer, firstByte: .milliseconds(300), total: .milliseconds(400))
        },
        Case("slow interim responses do not extend the first-byte deadline") { probe in
            for interim in ["100 Continue", "103 Early Hints"] {
                let answer = dripping("", "HTTP/1.1 \(interim)\r\n\r\n")
                try await expectDeadline(probe, answer, firstByte: .milliseconds(300))
            }
        },
        Case("slow bytes of a chunk extension do not extend the total deadline") { probe in
            try await expectDeadline(probe, dripping(chunked + ";a="), total: .milliseconds(400))
        },
        Case("slow trailers do not extend the total deadline") { probe in
            try await expectDeadline(probe, dripping(chunked + "\r\na\r\n0\r\n", "A: b\r\n"), total: .milliseconds(400))
        },
    ]

    private static func limits(body: Int = 1000) -> HTTPLimits {
        var limits = TransportProbe.patient
        (limits.maximumBodyBytes, limits.maximumHeaderBytes) = (body, 2000)
        return limits
    }

    private static func dripping(_ start: String, _ drop: String = "A") -> LoopbackResponse {
        let drops: [LoopbackAction] = (0..<3000).flatMap { _ in [.send(Array(drop.utf8)), .delay(.milliseconds(20))] }
        return .script([.send(Array(start.utf8))] + drops)
    }

    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1"

    private static func expectDeadline(
        _ probe: TransportProbe,
        _ answer: LoopbackResponse,
        firstByte: Duration = .seconds(50),
        total: Duration = .seconds(50)
    ) async throws {
        func attempt(_ firstByte: Duration, _ total: Duration) async throws {
            let limits = HTTPLimits(connectTimeout: .seconds(50), firstByteTimeout: firstByte, totalTimeout: total)
            try await probe.withinBounds { try await probe.expect(.timedOut, answering: answer, limits: limits) }
        }
        do {
            try await attempt(firstByte, total)
        } catch is TransportProbe.Violation {
            // On a busy machine the deadline may pass before the request is sent, so the second attempt has a longer deadline.
            try await attempt(min(firstByte * 25, .seconds(50)), min(total * 25, .seconds(50)))
        }
    }
}
