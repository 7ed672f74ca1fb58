internal import IdentityHTTP
internal import IdentityWeb
internal import Testing

extension WebAdapterConformance {
    static let requestCases: [Case] = [
        Case("the handler receives method and target byte for byte") { exchange in
            for target in ["/", "/a%2Fb%252e/c;d", "/x?a=%20+%E4&a=2&b", "/%C3%A4?return=/y?z=1"] {
                for method in ["GET", "POST", "DELETE"] {
                    let answer = try await Self.send(exchange, "\(method) \(target)", body: method == "GET" ? nil : [])
                    #expect(answer.lines.first == "\(method) \(target)")
                }
            }
        },
        Case("a target with an empty query keeps its question mark") { exchange in
            let answer = try await Self.send(exchange, "GET /x?")
            #expect(answer.lines.first == "GET /x?")
        },
        Case("the handler receives all header fields, also Host, in any case of their names") { exchange in
            let fields = ["cookie: a=1; b=2", "sec-fetch-site: same-origin", "X-UPPER: value"]
            let answer = try await Self.send(exchange, "GET /headers", fields: fields)
            #expect(answer.lines.contains("cookie: a=1; b=2"))
            #expect(answer.lines.contains("sec-fetch-site: same-origin"))
            #expect(answer.lines.contains("x-upper: value"))
            #expect(answer.lines.contains("host: 127.0.0.1:80"))
        },
        Case("the handler receives every field of a repeated header") { exchange in
            let answer = try await Self.send(exchange, "GET /headers", fields: ["X-TWICE: one", "x-twice: two"])
            let twice = answer.lines.filter { $0.hasPrefix("x-twice: ") }
            #expect(twice == ["x-twice: one", "x-twice: two"] || twice == ["x-twice: one, two"])
        },
        Case("the handler receives every byte of a body, also of a chunked one") { exchange in
            let bytes = (0...255).map { UInt8($0) }
            let expected = "body 256 " + bytes.map { String($0, radix: 16) }.joined(separator: ".")
            #expect(try await Self.send(exchange, "POST /body", body: bytes).lines.last == expected)
            var chunked = Array("POST /body HTTP/1.1\r\n\(Self.common)Transfer-Encoding: chunked\r\n\r\n".utf8)
            for half in [bytes[..<100], bytes[100...]] {
                chunked += Array("\(String(half.count, radix: 16))\r\n".utf8) + half + Array("\r\n".utf8)
            }
            let inChunks = Answer(try await exchange(chunked + Array("0\r\n\r\n".utf8)))
            #expect(inChunks.lines.last == expected)
            #expect(try await Self.send(exchange, "GET /body").lines.last?.hasPrefix("body 0 ") == true)
        },
        Case(
            "a body above the limit of the routes is refused or passed on as too large, and never truncated to the limit"
        ) { exchange in
            let large = [UInt8](repeating: 0x61, count: WebRequest.maximumBodyBytes + 1)
            let answer = try await Self.send(exchange, "POST /body", body: large)
            let count = answer.lines.last?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            #expect(answer.status == 413 || answer.status == 200 && count > WebRequest.maximumBodyBytes)
        },
        Case("the client address is not taken from a header that the client sent") { exchange in
            let answer = try await Self.send(
                exchange,
                "GET /client",
                fields: ["X-Forwarded-For: 203.0.113.99", "Forwarded: for=203.0.113.99", "X-Real-IP: 203.0.113.99"]
            )
            #expect(answer.lines.count > 1 && !answer.lines.contains("client 203.0.113.99"))
        },
        Case("concurrent requests get their own responses") { exchange in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<32 {
                    group.addTask {
                        let answer = try await Self.send(exchange, "POST /n\(number)", body: Array("\(number)".utf8))
                        return answer.lines.first == "POST /n\(number)"
                    }
                }
                while let isOwn = try await group.next() { #expect(isOwn) }
            }
        },
    ]

    static let responseCases: [Case] = [
        Case("a redirect keeps its status, its location, and each cookie in a separate field") { exchange in
            let answer = try await Self.send(exchange, "GET /conformance/redirect")
            #expect(answer.status == 303 && answer.body.isEmpty)
            #expect(answer.values(of: "location") == ["https://id.example/authorize?state=%2Fa+b&x=1"])
            let cookies = ["one=1; Path=/; Secure; HttpOnly; SameSite=Lax", "two=2, 3; Path=/; Max-Age=0"]
            #expect(answer.values(of: "set-cookie") == cookies)
        },
        Case("every byte of a response body is sent, also with an error status") { exchange in
            let answer = try await Self.send(exchange, "GET /conformance/bytes")
            #expect(answer.status == 503 && answer.body == (0...255).map { UInt8($0) })
        },
        Case("a page keeps its content type, and HEAD gets no body") { exchange in
            let page = try await Self.send(exchange, "GET /page")
            #expect(page.status == 200 && page.values(of: "content-type") == ["text/html; charset=utf-8"])
            #expect(try await Self.send(exchange, "HEAD /page").body.isEmpty)
        },
    ]

    private static let common = "Host: 127.0.0.1:80\r\nConnection: close\r\n"

    private static func send(
        _ exchange: Exchange,
        _ line: String,
        fields: [String] = [],
        body: [UInt8]? = nil
    ) async throws -> Answer {
        var head = "\(line) HTTP/1.1\r\n\(common)" + fields.map { $0 + "\r\n" }.joined()
        if let body { head += "Content-Length: \(body.count)\r\n" }
        return Answer(try await exchange(Array((head + "\r\n").utf8) + (body ?? [])))
    }

    private struct Answer {
        var status = 0
        var fields: [(name: String, value: String)] = []
        var body: [UInt8] = []

        /// The lines of the response body, in which ``WebAdapterConformance/handler`` describes the request.
        var lines: [String] { String(decoding: body, as: UTF8.self).split(separator: "\n").map { String($0) } }

        func values(of name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

        init(_ bytes: [UInt8]) {
            let end = bytes.indices.first { bytes[$0...].starts(with: [0x0D, 0x0A, 0x0D, 0x0A]) }
            guard let end else { return }
            let head = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
            status = head.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            fields = head.dropFirst().compactMap { line in
                guard let colon = line.firstIndex(of: ":") else { return nil }
                let value = line[line.index(after: colon)...].drop { $0 == " " }
                return (line[..<colon].lowercased(), String(value))
            }
            body = Array(bytes[(end + 4)...])
            if values(of: "transfer-encoding") == ["chunked"] { body = Self.joined(body) }
        }

        private static func joined(_ chunks: [UInt8]) -> [UInt8] {
            var (rest, joined) = (chunks[...], [UInt8]())
            while let end = rest.firstIndex(of: 0x0D),
                let size = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16),
                size > 0, rest.count >= end - rest.startIndex + 2 + size
            {
                joined += rest[(end + 2)..<(end + 2 + size)]
                rest = rest[(end + 2 + size)...].dropFirst(2)
            }
            return joined
        }
    }
}
