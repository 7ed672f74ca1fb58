internal import IdentityHTTP

/// Parses HTTP/1.1 and HTTP/1.0 requests (RFC 9112) strictly and within limits, from input that arrives in pieces.
package struct LoopbackRequestParser {
    package enum Event {
        case needsMore
        /// The client waits for `100 Continue` before it sends the body.
        case expectsContinue
        case request(LoopbackRequest, keepAlive: Bool)
        /// The request is not valid HTTP, or exceeds a limit. The server responds with this status and closes the connection.
        case invalid(status: Int)
    }

    private let limits: LoopbackLimits
    private enum State {
        case head
        case body(Head, remaining: Int)
        case chunkSize(Head)
        case chunkData(Head, remaining: Int)
        case chunkEnd(Head)
        case trailers(Head, read: Int)
        case failed
    }

    private struct Head {
        var method = ""
        var target = ""
        var headers: [(name: String, value: String)] = []
        var isVersion11 = false
        var length: Int?
        var isChunked = false
        var hasHost = false
        var closes = false
        var keeps = false
        var expectsContinue = false
    }

    private var state = State.head
    private var input: [UInt8] = []
    // The bytes of `input` before this index are parsed. They are removed in large steps, so that small pieces cause few copies.
    private var start = 0
    // The position at which the search for the end of a line or head continues.
    private var searched = 0
    private var body: [UInt8] = []

    package init(limits: LoopbackLimits = LoopbackLimits()) {
        self.limits = limits
    }

    /// Whether a part of a request has arrived, but not the whole request.
    var isInside: Bool {
        if case .head = state { return start < input.count }
        return true
    }

    package mutating func append(_ bytes: ArraySlice<UInt8>) {
        if start > 0, start == input.count || start > 64 << 10 {
            input.removeFirst(start)
            searched -= min(start, searched)
            start = 0
        }
        input += bytes
    }

    package mutating func next() -> Event {
        while true {
            switch state {
            case .head:
                // Empty lines before a request are skipped (RFC 9112 section 2.2).
                while input.count >= start + 2, input[start] == 0x0D, input[start + 1] == 0x0A { consume(2) }
                // Without this check of the first byte, a client that tries a TLS handshake would wait until a time limit.
                if start < input.count, input[start] != 0x0D, !ASCII.isToken(input[start]) { return fail(400) }
                guard let end = find([0x0D, 0x0A, 0x0D, 0x0A]) else {
                    // The limit does not include the CRLF CRLF after the head, of which up to three bytes may be in the buffer already.
                    return input.count - start > limits.headerBytes + 3 ? fail(431) : .needsMore
                }
                guard end - start <= limits.headerBytes else { return fail(431) }
                guard let head = parseHead(input[start..<end]) else { return fail(400) }
                let length = head.length ?? 0
                guard length <= limits.bodyBytes else { return fail(413) }
                consume(end + 4 - start)
                state = head.isChunked ? .chunkSize(head) : .body(head, remaining: length)
                if head.expectsContinue, head.isChunked || length > 0, start == input.count { return .expectsContinue }
            case .body(let head, let remaining):
                let left = takeBody(remaining)
                guard left == 0 else {
                    state = .body(head, remaining: left)
                    return .needsMore
                }
                return finish(head)
            case .chunkSize(let head):
                guard let end = find([0x0D, 0x0A]) else {
                    return input.count - start > 1024 + 1 ? fail(400) : .needsMore
                }
                let digits = input[start..<end].prefix { ASCII.hexValue($0) != nil }
                let follows = input[digits.endIndex]
                guard (1...7).contains(digits.count), follows == 0x0D || follows == UInt8(ascii: ";"),
                    end - start <= 1024
                else { return fail(400) }
                let size = digits.reduce(0) { $0 << 4 | Int(ASCII.hexValue($1) ?? 0) }
                guard body.count + size <= limits.bodyBytes else { return fail(413) }
                consume(end + 2 - start)
                state = size == 0 ? .trailers(head, read: 0) : .chunkData(head, remaining: size)
            case .chunkData(let head, let remaining):
                let left = takeBody(remaining)
                state = left == 0 ? .chunkEnd(head) : .chunkData(head, remaining: left)
                if left > 0 { return .needsMore }
            case .chunkEnd(let head):
                guard input.count >= start + 2 else { return .needsMore }
                guard input[start] == 0x0D, input[start + 1] == 0x0A else { return fail(400) }
                consume(2)
                state = .chunkSize(head)
            case .trailers(let head, let read):
                guard let end = find([0x0D, 0x0A]) else {
                    // The limit does not include the CRLF of a line, and the last pending byte may be a CR. A single pending byte is never
                    // refused, because it may begin the empty line after the trailers.
                    let pending = input.count - start
                    return pending > 1 && read + pending > limits.headerBytes + 1 ? fail(431) : .needsMore
                }
                let length = end - start
                consume(length + 2)
                if length == 0 { return finish(head) }
                guard read + length <= limits.headerBytes else { return fail(431) }
                state = .trailers(head, read: read + length + 2)
            case .failed:
                return .needsMore
            }
        }
    }

    private mutating func consume(_ count: Int) {
        start += count
        searched = start
    }

    private mutating func fail(_ status: Int) -> Event {
        state = .failed
        return .invalid(status: status)
    }

    private mutating func finish(_ head: Head) -> Event {
        let request = LoopbackRequest(method: head.method, target: head.target, headers: head.headers, body: body)
        body = []
        state = .head
        return .request(request, keepAlive: head.isVersion11 ? !head.closes : head.keeps)
    }

    private mutating func takeBody(_ remaining: Int) -> Int {
        let taken = min(remaining, input.count - start)
        body += input[start..<start + taken]
        consume(taken)
        return remaining - taken
    }

    private mutating func find(_ pattern: [UInt8]) -> Int? {
        var index = max(searched, start)
        while index + pattern.count <= input.count {
            if input[index..<index + pattern.count].elementsEqual(pattern) { return index }
            index += 1
        }
        searched = index
        return nil
    }

    private func parseHead(_ bytes: ArraySlice<UInt8>) -> Head? {
        // Bare CR, bare LF and NUL are refused, because HTTP parsers differ in how they treat them.
        var lines = bytes.split(separator: 0x0D, omittingEmptySubsequences: false)[...]
        guard let requestLine = lines.popFirst(), var head = requestHead(requestLine) else { return nil }
        for line in lines {
            guard line.first == 0x0A, let field = field(line.dropFirst()), apply(field, to: &head) else { return nil }
            head.headers.append(field)
        }
        // An HTTP/1.1 request must have a Host (RFC 9112 section 3.2).
        guard head.hasHost || !head.isVersion11, !head.isChunked || head.length == nil else { return nil }
        return head
    }

    private func requestHead(_ line: ArraySlice<UInt8>) -> Head? {
        let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(ASCII.isToken),
            parts[1].first == UInt8(ascii: "/"), parts[1].allSatisfy(ASCII.isVisible)
        else { return nil }
        var head = Head()
        head.method = String(decoding: parts[0], as: UTF8.self)
        head.target = String(decoding: parts[1], as: UTF8.self)
        head.isVersion11 = parts[2].elementsEqual("HTTP/1.1".utf8)
        return head.isVersion11 || parts[2].elementsEqual("HTTP/1.0".utf8) ? head : nil
    }

    private func field(_ line: ArraySlice<UInt8>) -> (name: String, value: String)? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let name = line[..<colon]
        let value = ASCII.trimmed(line[(colon + 1)...])
        guard !name.isEmpty, name.allSatisfy(ASCII.isToken), value.allSatisfy(ASCII.isFieldValue) else { return nil }
        return (String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
    }

    /// Compares the bytes without regard to ASCII case, because `lowercased()` of a string maps some other characters to ASCII letters.
    private func isEqual(_ value: String, _ lowercased: String) -> Bool {
        value.utf8.lazy.map(ASCII.lowercased).elementsEqual(lowercased.utf8)
    }

    private func apply(_ field: (name: String, value: String), to head: inout Head) -> Bool {
        switch field.name.lowercased() {
        case "content-length":
            guard head.length == nil, field.value.utf8.count <= 15, field.value.utf8.allSatisfy(ASCII.isDigit),
                let length = Int(field.value)
            else { return false }
            head.length = length
        case "transfer-encoding":
            // HTTP/1.0 has no transfer codings, so a proxy may read the body differently (RFC 9112 section 6.1).
            guard head.isVersion11, !head.isChunked, isEqual(field.value, "chunked") else { return false }
            head.isChunked = true
        case "host":
            // A second Host is refused, because two parts of an app could use different values (RFC 9112 section 3.2).
            guard !head.hasHost else { return false }
            head.hasHost = true
        case "connection":
            let options = field.value.utf8.map(ASCII.lowercased).split(separator: UInt8(ascii: ",")).map {
                $0.filter { $0 != 0x20 }
            }
            if options.contains(where: { $0.elementsEqual("close".utf8) }) { head.closes = true }
            if options.contains(where: { $0.elementsEqual("keep-alive".utf8) }) { head.keeps = true }
        case "expect":
            head.expectsContinue = head.isVersion11 && isEqual(field.value, "100-continue")
        default:
            break
        }
        return true
    }
}
