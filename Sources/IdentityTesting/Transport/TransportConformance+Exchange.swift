internal import IdentityHTTP
internal import IdentityLoopback

extension TransportConformance {
    static let exchangeCases: [Case] = [
        Case("a request and its response arrive as they were sent") { probe in
            let answer = LoopbackResponse.message(
                status: 201,
                headers: [("X-First", "1"), ("x-twice", "a"), ("X-TWICE", "b"), ("X-Empty", "")],
                body: [0, 255, 13, 10]
            )
            try await probe.withServer({ _ in answer }) { server, log in
                var request = try probe.request(server, .post, path: "/p%2Fq/../r?x=%20&y", body: [0, 1, 0xFF, 0x0A])
                try request.headers.set("X-Sent", "v; w")
                try request.headers.set("Content-Type", "application/octet-stream")
                let response = try await probe.transport.send(request)
                try probe.expect(response, status: 201, body: [0, 255, 13, 10])
                try probe.expect(response.headers["x-first"] == "1", "the response header X-First is not \"1\"")
                try probe.expect(
                    response.headers.values(for: "X-Twice") == ["a", "b"],
                    "the repeated response header X-Twice was combined or lost"
                )
                try probe.expect(response.headers["X-Empty"] == "", "the empty response header X-Empty was lost")
                let seen = log.all.first
                try probe.expect(
                    seen?.method == "POST",
                    "the server received the method \(seen?.method ?? "") instead of POST"
                )
                try probe.expect(
                    seen?.target == "/p%2Fq/../r?x=%20&y",
                    "the request target was rewritten to \(seen?.target ?? "")"
                )
                try probe.expect(
                    seen?.body == [0, 1, 0xFF, 0x0A],
                    "the server received another request body than the one sent"
                )
                try probe.expect(seen?.header("x-sent") == "v; w", "the request header X-Sent was changed or lost")
                try probe.expect(
                    seen?.header("content-type") == "application/octet-stream",
                    "the request header Content-Type was changed or lost"
                )
            }
        },
        Case("a status of 500 is a response, not an error") { probe in
            let response = try await probe.response(answering: .message(status: 500, headers: [], body: [65]))
            try probe.expect(response, status: 500, body: [65])
        },
        Case("an empty POST has a Content-Length of 0") { probe in
            try await probe.withServer({ _ in .message(status: 200) }) { server, log in
                _ = try await probe.transport.send(probe.request(server, .post))
                try probe.expect(
                    log.all.first?.header("content-length") == "0",
                    "the POST request has no header Content-Length: 0"
                )
            }
        },
        Case("the response to HEAD has no body, with any Content-Length") { probe in
            let answer = LoopbackResponse.message(status: 200, headers: [("Content-Length", "99999999")], body: [])
            try probe.expect(try await probe.response(answering: answer, .head), body: [])
        },
        Case("an interim response is skipped") { probe in
            let bytes = Array(
                "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nA".utf8
            )
            let response = try await probe.response(answering: .script([.send(bytes)]))
            try probe.expect(response, body: [65])
            try probe.expect(
                response.headers["Link"] == nil,
                "the final response has the header Link of the interim response"
            )
        },
        Case("each of many concurrent requests gets its own response") { probe in
            try await probe.withServer({ request in .message(status: 200, headers: [], body: request.body) }) {
                server,
                _ in
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    for number in 0..<64 {
                        let body = Array("request \(number)".utf8)
                        let request = try probe.request(server, .post, body: body)
                        group.addTask { try await probe.transport.send(request).body == body }
                    }
                    for try await isOwn in group {
                        try probe.expect(isOwn, "a request got the response to another request")
                    }
                }
            }
        },
        Case("a POST, and a GET that may be sent only once, are not sent again if their reused connection breaks") {
            probe in
            let handler: @Sendable (LoopbackRequest) async -> LoopbackResponse = { request in
                request.path == "/die" ? .script([.reset]) : .message(status: 200)
            }
            try await probe.withServer(handler) { server, log in
                for _ in 0..<3 {
                    _ = try await probe.transport.send(probe.request(server, .post, body: [1]))
                    try await probe.expect(
                        .connectionLost,
                        .ambiguous,
                        from: probe.request(server, .post, path: "/die", body: [1])
                    )
                    _ = try await probe.transport.send(probe.request(server, .post, body: [1]))
                    var once = try probe.request(server, .get, path: "/die")
                    once.isSentOnce = true
                    try await probe.expect(.connectionLost, .ambiguous, from: once)
                }
                let deaths = log.all.filter { $0.path == "/die" }.count
                try probe.expect(deaths == 6, "the server received \(deaths) requests to /die instead of 6")
            }
        },
        Case("cancelling the task ends the exchange") { probe in
            let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
            let handler: @Sendable (LoopbackRequest) async -> LoopbackResponse = { _ in
                arrived.yield()
                return .script([.delay(.seconds(60))])
            }
            try await probe.withServer(handler) { server, _ in
                try await probe.withinBounds {
                    let limits = HTTPLimits(firstByteTimeout: .seconds(50), totalTimeout: .seconds(50))
                    let request = try probe.request(server, limits: limits)
                    let task = Task {
                        // If the transport fails before the request arrives, `finish()` ends the loop below.
                        defer { arrived.finish() }
                        try await probe.expect(.cancelled, .ambiguous, from: request)
                    }
                    var hasArrived = false
                    for await _ in arrivals {
                        hasArrived = true
                        break
                    }
                    task.cancel()
                    try await task.value
                    try probe.expect(hasArrived, "the request did not reach the server")
                    // This task is cancelled before it calls `send`, so the request must not be sent.
                    let late = Task {
                        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                        try await probe.expect(.cancelled, .notSent, from: request)
                    }
                    try await late.value
                }
            }
        },
    ]
}
