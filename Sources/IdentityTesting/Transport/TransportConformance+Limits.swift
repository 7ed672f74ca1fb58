internal import IdentityHTTP

extension TransportConformance {
    static let limitCases: [Case] = [
        ("a body larger than the cap is refused by its Content-Length", announcedBody),
        ("a body larger than the cap is refused without Content-Length", endlessBody),
        ("a body of exactly the cap is accepted", exactBody),
        ("headers larger than the cap are refused", headerBomb),
        ("endless interim responses are refused", interimBomb),
        ("a content coding is left as it is and not asked for", contentCoding),
        ("a server that does not answer is left at the first-byte deadline", firstByte),
        ("a server that drips is left at the total deadline", drip),
        ("a drip of header bytes is left at a deadline", headerDrip),
    ]

    private static func limits(body: Int = 1000, headers: Int = 2000) -> HTTPLimits {
        HTTPLimits(maximumBodyBytes: body, maximumHeaderBytes: headers)
    }

    @Sendable private static func announcedBody(_ probe: TransportProbe) async throws {
        // Not one byte of the body follows, so the length alone must decide.
        let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n".utf8)
        try await probe.withServer({ _, _ in .script([.send(head), .delay(.seconds(60))]) }) { server, _ in
            try await probe.expect(.bodyTooLarge, .ambiguous, from: probe.request(server, limits: limits()))
        }
    }

    @Sendable private static func endlessBody(_ probe: TransportProbe) async throws {
        let piece = LoopbackAction.send([UInt8](repeating: 65, count: 1 << 16))
        let head = LoopbackAction.send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
        let chunked = LoopbackAction.send(
            Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7ffffff\r\n".utf8)
        )
        for start in [head, chunked] {
            let script = [start] + Array(repeating: piece, count: 1000) + [.delay(.seconds(60))]
            try await probe.withServer({ _, _ in .script(script) }) { server, _ in
                try await probe.expect(.bodyTooLarge, .ambiguous, from: probe.request(server, limits: limits()))
            }
        }
    }

    @Sendable private static func exactBody(_ probe: TransportProbe) async throws {
        let body = [UInt8](repeating: 65, count: 1000)
        try await probe.withServer({ _, _ in .message(status: 200, headers: [], body: body) }) { server, _ in
            let response = try await probe.transport.send(probe.request(server, limits: limits()))
            try probe.expect(response.body == body, "another body")
        }
    }

    @Sendable private static func headerBomb(_ probe: TransportProbe) async throws {
        let many = String(repeating: "A: b\r\n", count: 50_000)
        let long = "A: " + String(repeating: "b", count: 300_000) + "\r\n"
        for fields in [many, long] {
            let bytes = Array("HTTP/1.1 200 OK\r\n\(fields)Content-Length: 0\r\n\r\n".utf8)
            try await probe.withServer({ _, _ in .script([.send(bytes)]) }) { server, _ in
                try await probe.expect(.headersTooLarge, .ambiguous, from: probe.request(server, limits: limits()))
            }
        }
    }

    @Sendable private static func interimBomb(_ probe: TransportProbe) async throws {
        let bytes = Array(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 10_000).utf8)
        try await probe.withServer({ _, _ in .script([.send(bytes), .delay(.seconds(60))]) }) { server, _ in
            try await probe.expect(.headersTooLarge, .ambiguous, from: probe.request(server, limits: limits()))
        }
    }

    @Sendable private static func contentCoding(_ probe: TransportProbe) async throws {
        let gzip: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3, 0x4B, 4, 0, 0x43, 0xBE, 0xB7, 0xE8, 1, 0, 0, 0]
        let answer = LoopbackResponse.message(status: 200, headers: [("Content-Encoding", "gzip")], body: gzip)
        try await probe.withServer({ _, _ in answer }) { server, log in
            let response = try await probe.transport.send(probe.request(server))
            try probe.expect(response.body == gzip, "the body was decoded")
            let asked = log.all.first?.header("accept-encoding")
            try probe.expect(asked == nil || asked == "identity", "Accept-Encoding was sent")
        }
    }

    @Sendable private static func firstByte(_ probe: TransportProbe) async throws {
        try await probe.withServer({ _, _ in .script([.delay(.seconds(60))]) }) { server, _ in
            let limits = HTTPLimits(firstByteTimeout: .milliseconds(200), totalTimeout: .seconds(50))
            try await probe.withinBounds {
                try await probe.expect(.timedOut, .ambiguous, from: probe.request(server, limits: limits))
            }
        }
    }

    private static func dripping(_ start: String) -> LoopbackResponse {
        let drops: [LoopbackAction] = (0..<3000).flatMap { _ in [.send([65]), .delay(.milliseconds(20))] }
        return .script([.send(Array(start.utf8))] + drops)
    }

    @Sendable private static func drip(_ probe: TransportProbe) async throws {
        let answer = dripping("HTTP/1.1 200 OK\r\nContent-Length: 3000\r\n\r\n")
        try await probe.withServer({ _, _ in answer }) { server, _ in
            let limits = HTTPLimits(firstByteTimeout: .seconds(50), totalTimeout: .milliseconds(400))
            try await probe.withinBounds {
                try await probe.expect(.timedOut, .ambiguous, from: probe.request(server, limits: limits))
            }
        }
    }

    @Sendable private static func headerDrip(_ probe: TransportProbe) async throws {
        try await probe.withServer({ _, _ in dripping("HTTP/1.1 200 OK\r\nX: ") }) { server, _ in
            let limits = HTTPLimits(firstByteTimeout: .milliseconds(300), totalTimeout: .milliseconds(400))
            try await probe.withinBounds {
                try await probe.expect(.timedOut, .ambiguous, from: probe.request(server, limits: limits))
            }
        }
    }
}
