import IdentityHTTP
import IdentityLoopback
import Synchronization
import TestDoubles
import Testing

@Suite("Connections of CurlTransport")
struct CurlConnectionTests {
    @Test("a GET with a DPoP proof is not sent again if its reused connection breaks")
    func proofIsSentOnce() async throws {
        let requests = Counter()
        let server = try await LoopbackServer.start { request in
            guard request.path == "/die" else { return .message(status: 200) }
            requests.count()
            return .script([.reset])
        }
        let transport = try CurlTransport()
        for (header, count) in [("X-Other", 2), ("DPoP", 3)] {
            _ = try await transport.send(.patient(server.origin + "/"))
            var request = try HTTPRequest.patient(server.origin + "/die")
            try request.headers.set(header, "proof")
            await #expect(throws: HTTPTransportError.self) { _ = try await transport.send(request) }
            #expect(requests.total == count)
        }
    }

    @Test(
        "permission to send is requested after the connection is established, also on a reused connection; without it no bytes are sent"
    )
    func permission() async throws {
        let requests = Counter()
        let server = try await LoopbackServer.start { _ in
            requests.count()
            return .message(status: 200)
        }
        let transport = try CurlTransport()
        let isConnected = Atomic(false)
        var request = try HTTPRequest.patient(server.origin + "/", .post, body: [1])
        request.addressPolicy = AddressPolicy(name: "watching") { _ in
            isConnected.store(true, ordering: .relaxed)
            return true
        }
        for round in 0..<2 {
            request.maySend = {
                let isMade = isConnected.load(ordering: .relaxed)
                #expect(isMade)
                return false
            }
            let error = await #expect(throws: HTTPTransportError.self) { _ = try await transport.send(request) }
            #expect(error?.code == .sendingRefused)
            #expect(error?.phase == .notSent)
            request.maySend = { true }
            #expect(try await transport.send(request).status == 200)
            #expect(requests.total == round + 1)
        }
    }

    @Test("connections are reused, and fifty requests open no more than the two permitted ones")
    func pool() async throws {
        let server = try await LoopbackServer.start { _ in .message(status: 200) }
        let transport = try CurlTransport(configuration: .init(maximumConnectionsPerHost: 2))
        let counter = Counter()
        var request = try HTTPRequest.patient(server.origin + "/", .post, body: [1])
        request.addressPolicy = AddressPolicy(name: "counting") { _ in
            counter.count()
            return true
        }
        try await withThrowingTaskGroup(of: Int.self) { [request] group in
            for _ in 0..<50 { group.addTask { try await transport.send(request).status } }
            for try await status in group { #expect(status == 200) }
        }
        // The policy is evaluated once for each request, and once more for each new connection.
        #expect(counter.total <= 52)
    }

    @Test("a request has its path and query as given, and nothing of the previous request on the same libcurl handle")
    func separateRequests() async throws {
        let seen = Mutex<[String]>([])
        let server = try await LoopbackServer.start { request in
            let names = request.headers.map { $0.name.lowercased() }.filter { $0 == "x-secret" || $0 == "content-type" }
            let body = String(decoding: request.body, as: UTF8.self)
            seen.withLock { $0.append("\(request.method) \(request.target) \(names.joined(separator: ",")) \(body)") }
            // The transport returns a redirect like any other response, and the handle keeps nothing of it.
            guard request.target == "/c" else { return .message(status: 200) }
            return .message(status: 302, headers: [("Location", "/elsewhere?code=2")])
        }
        let transport = try CurlTransport()
        var headers = HTTPHeaders()
        try headers.set("X-Secret", "s")
        try headers.set("Content-Type", "text/plain")
        let requests: [(HTTPMethod, String, [UInt8]?, HTTPHeaders)] = [
            (.post, "/a?code=1", Array("body".utf8), headers), (.get, "/b", nil, HTTPHeaders()),
            (.put, "/c", Array("put".utf8), headers), (.get, "/d", nil, HTTPHeaders()),
            (.head, "/e", nil, headers), (.get, "/f", nil, HTTPHeaders()), (.post, "/g", nil, HTTPHeaders()),
            (.delete, "/h", nil, HTTPHeaders()), (.post, "/i", Array("b".utf8), headers),
            (.get, "", nil, HTTPHeaders()), (.get, "?j=/../1", nil, HTTPHeaders()),
            (.get, "/k/../%2F?", nil, HTTPHeaders()),
        ]
        for (method, target, body, headers) in requests {
            let request = try HTTPRequest.patient(server.origin + target, method, headers: headers, body: body)
            #expect(try await transport.send(request).status == (target == "/c" ? 302 : 200))
        }
        #expect(
            seen.withLock { $0 } == [
                "POST /a?code=1 x-secret,content-type body", "GET /b  ", "PUT /c x-secret,content-type put", "GET /d  ",
                "HEAD /e x-secret,content-type ", "GET /f  ", "POST /g  ", "DELETE /h  ",
                "POST /i x-secret,content-type b", "GET /  ", "GET /?j=/../1  ", "GET /k/../%2F?  ",
            ]
        )
    }

    @Test("a GET that is sent again reaches its own server, also on a libcurl handle that was used for another server")
    func repetitionAfterAnotherServer() async throws {
        let other = try await LoopbackServer.start { _ in .message(status: 201) }
        let requests = Counter()
        let server = try await LoopbackServer.start { request in
            guard request.path == "/die" else { return .message(status: 202) }
            requests.count()
            return requests.total == 1 ? .script([.reset]) : .message(status: 203)
        }
        let transport = try CurlTransport()
        #expect(try await transport.send(.patient(other.origin + "/")).status == 201)
        #expect(try await transport.send(.patient(server.origin + "/")).status == 202)
        #expect(try await transport.send(.patient(server.origin + "/die")).status == 203)
        #expect(requests.total == 2)
    }

    @Test("each of several GETs whose reused connection ends without a response is sent again")
    func repeatedRequests() async throws {
        let arrivals = Counter()
        // Every second request arrives on a used connection, which ends without a response. libcurl then sends it again, but
        // at most five times with one handle, unless the handle is reset.
        let server = try await LoopbackServer.start { _ in
            arrivals.count()
            return arrivals.total.isMultiple(of: 2) ? .script([.close]) : .message(status: 200)
        }
        let transport = try CurlTransport()
        let request = try HTTPRequest.patient(server.origin + "/")
        for _ in 0..<10 { #expect(try await transport.send(request).status == 200) }
        #expect(arrivals.total == 19)
    }
}
