internal import IdentityHTTP
internal import IdentityLoopback
internal import Synchronization

extension TransportConformance {
    static let trustCases: [Case] = [
        Case("a redirect is not followed and passes no credentials on") { probe in
            try await probe.withServer({ _ in .message(status: 200) }) { target, targetLog in
                let location = target.origin + "/stolen"
                for status in [301, 302, 303, 307, 308] {
                    let answer = LoopbackResponse.message(status: status, headers: [("Location", location)], body: [])
                    try await probe.withServer({ _ in answer }) { server, _ in
                        var request = try probe.request(server, .post, body: Array("secret".utf8))
                        try request.headers.set("Authorization", "Basic c2VjcmV0")
                        let response = try await probe.transport.send(request)
                        try probe.expect(response.status == status, "status \(response.status) instead of \(status)")
                        try probe.expect(response.headers["Location"] == location, "the Location header was lost")
                    }
                }
                try probe.expect(targetLog.all.isEmpty, "the transport followed a redirect")
            }
        },
        Case("cookies are not stored") { probe in
            let answer = LoopbackResponse.message(status: 200, headers: [("Set-Cookie", "session=1; Path=/")], body: [])
            try await probe.withServer({ _ in answer }) { server, log in
                for _ in 0..<2 { _ = try await probe.transport.send(probe.request(server)) }
                try probe.expect(log.all.allSatisfy { $0.header("cookie") == nil }, "a cookie was sent back")
            }
        },
        Case("responses are not cached") { probe in
            let count = Mutex<UInt8>(0)
            let headers = [
                ("Cache-Control", "public, max-age=31536000, immutable"), ("ETag", "\"1\""),
                ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"),
            ]
            let answer: @Sendable (LoopbackRequest) async -> LoopbackResponse = { _ in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                return .message(status: 200, headers: headers, body: [number])
            }
            try await probe.withServer(answer) { server, log in
                for number in UInt8(1)...2 {
                    let response = try await probe.transport.send(probe.request(server))
                    try probe.expect(response.body == [number], "request \(number) got the response to another request")
                }
                let isConditional = log.all.contains {
                    $0.header("if-none-match") != nil || $0.header("if-modified-since") != nil
                }
                try probe.expect(
                    !isConditional,
                    "a request has If-None-Match or If-Modified-Since, so a response was stored"
                )
            }
        },
        Case("a request is not sent if maySend returns false, also after another request") { probe in
            try await probe.withServer({ _ in .message(status: 200) }) { server, log in
                var refused = try probe.request(server, .post, path: "/refused", body: [1])
                refused.maySend = { false }
                var permitted = try probe.request(server, .post, path: "/permitted", body: [1])
                permitted.maySend = { true }
                // In the second round, the connection of the permitted request may still be open: the transport must ask `maySend` even if
                // it can reuse a connection.
                for _ in 0..<2 {
                    try await probe.expect(.sendingRefused, .notSent, from: refused)
                    let response = try await probe.transport.send(permitted)
                    try probe.expect(response.status == 200, "status \(response.status) instead of 200")
                }
                try probe.expect(
                    log.all.map(\.target) == ["/permitted", "/permitted"],
                    "\(log.all.count) requests instead of 2 reached the server"
                )
            }
        },
        Case("a method cannot smuggle another request") { probe in
            try await probe.withServer({ _ in .message(status: 200) }) { server, log in
                for method in ["", "GET / HTTP/1.1\r\nX: y\r\n\r\nGET", "G\u{0}T", "GET /other", "GÉT"] {
                    let request = try probe.request(server, HTTPMethod(rawValue: method))
                    try await probe.expect(.invalidMethod, .notSent, from: request)
                }
                try probe.expect(log.all.isEmpty, "a request with an invalid method was sent")
            }
        },
        Case("plain http is refused, except for a loopback address with permission") { probe in
            try await probe.withServer({ _ in .message(status: 200) }) { server, log in
                var request = try probe.request(server)
                request.allowsLoopbackHTTP = false
                try await probe.expect(.insecureURL, .notSent, from: request)
                request.allowsLoopbackHTTP = true
                request.url = try HTTPURL("http://localhost:\(server.port)/")
                try await probe.expect(.insecureURL, .notSent, from: request)
                try probe.expect(log.all.isEmpty, "a request over plain http reached the server")
            }
        },
        Case("the error of a refused connection says that the request was not sent") { probe in
            // No server of another test listens on port 1.
            let request = HTTPRequest(
                method: .post,
                url: try HTTPURL("http://127.0.0.1:1/"),
                body: [1],
                allowsLoopbackHTTP: true
            )
            try await probe.expect(.connectionFailed, .notSent, from: request)
            // If the policy refuses the address, the transport must not even try to connect, so the error is `addressRefused`.
            var refused = request
            refused.addressPolicy = .publicOnly
            try await probe.expect(.addressRefused, .notSent, from: refused)
        },
        Case("if a connection ends without a response, the error says that the request may have arrived") { probe in
            for end in [LoopbackAction.close, .reset] {
                try await probe.withServer({ _ in .script([end]) }) { server, _ in
                    try await probe.expect(.connectionLost, .ambiguous, from: probe.request(server, .post, body: [1]))
                }
            }
        },
        Case("an address that the policy refuses gets no connection") { probe in
            try await probe.withServer({ _ in .message(status: 200) }) { server, log in
                var request = try probe.request(server)
                request.addressPolicy = .publicOnly
                try await probe.expect(.addressRefused, .notSent, from: request)
                request.addressPolicy = .any
                _ = try await probe.transport.send(request)
                // The transport may have kept the connection open. A request that refuses the address must not reuse this connection.
                request.addressPolicy = .publicOnly
                try await probe.expect(.addressRefused, .notSent, from: request)
                try probe.expect(log.all.count == 1, "the refused address got a request")
            }
        },
        Case("a host name leads only to addresses that the policy permits") { probe in
            // The server listens on one address of localhost. The policy permits only the addresses of the other IP version.
            // If a transport checks one address, and another component then resolves the name again, the request reaches the server.
            for (address, permitted) in [(LoopbackAddress.v4, 16), (.v6, 4)] {
                // On a machine without IPv6, the server cannot listen on ::1.
                guard
                    let server = try? await LoopbackServer.start(
                        address: address,
                        handler: { _ in .message(status: 200) }
                    )
                else { continue }
                let policy = AddressPolicy(name: "the other address of localhost") { $0.bytes.count == permitted }
                let url = try HTTPURL("https://localhost:\(server.port)/")
                let outcome: HTTPTransportError?
                do throws(HTTPTransportError) {
                    _ = try await probe.transport.send(HTTPRequest(method: .get, url: url, addressPolicy: policy))
                    outcome = nil
                } catch {
                    outcome = error
                }
                await server.stop()
                let isRefused = outcome.map {
                    [.connectionFailed, .addressRefused, .resolutionFailed].contains($0.code)
                }
                try probe.expect(
                    isRefused == true,
                    "a connection went to an address that the policy refuses: \(outcome?.code.rawValue ?? "a response")"
                )
            }
        },
        Case("headers that point to other servers are not followed") { probe in
            try await probe.withServer({ _ in .message(status: 200) }) { elsewhere, elsewhereLog in
                let answer = LoopbackResponse.message(
                    status: 200,
                    headers: [
                        ("Refresh", "0; url=\(elsewhere.origin)/refresh"), ("Location", "\(elsewhere.origin)/location"),
                        ("Content-Location", "\(elsewhere.origin)/content"),
                        ("Link", "<\(elsewhere.origin)/link>; rel=preload"),
                        ("Alt-Svc", "http/1.1=\":\(elsewhere.port)\", h2=\":\(elsewhere.port)\"; ma=86400; persist=1"),
                        ("Strict-Transport-Security", "max-age=31536000; includeSubDomains"),
                        ("WWW-Authenticate", "Basic realm=\"a\""), ("Connection", "close"),
                    ]
                )
                try await probe.withServer({ _ in answer }) { server, log in
                    for _ in 0..<3 {
                        let response = try await probe.transport.send(probe.request(server))
                        try probe.expect(response.status == 200, "status \(response.status) instead of 200")
                    }
                    try probe.expect(log.all.count == 3, "\(log.all.count) requests instead of 3 reached the server")
                }
                try probe.expect(elsewhereLog.all.isEmpty, "the transport followed a response header to another server")
            }
        },
    ]
}
