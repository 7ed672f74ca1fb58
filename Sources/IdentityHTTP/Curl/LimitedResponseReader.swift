/// Assembles a response from header lines and pieces of the body, within limits.
///
/// The reader rejects responses that two parsers could read differently, for example with folded lines, with two Content-Length fields,
/// or with Content-Length and Transfer-Encoding. The reader drops trailers, so nothing after the body changes a header.
struct LimitedResponseReader {
    private enum State {
        case status, fields, body
    }

    private static let maximumFields = 512

    private let limits: HTTPLimits
    private let isHead: Bool
    private var state = State.status
    private var status = 0
    private var buffer: [UInt8] = []
    private var fields: [HTTPHeaders.Field] = []
    private var headerBytes = 0
    private var length: Int?
    private var isChunked = false
    private var isVersion10 = false
    private var body: [UInt8] = []

    /// Why the response is rejected; nil while no problem was found.
    private(set) var failure: (code: HTTPTransportError.Code, message: String)?

    init(limits: HTTPLimits, isHead: Bool) {
        self.limits = limits
        self.isHead = isHead
        buffer.reserveCapacity(512)
        fields.reserveCapacity(16)
    }

    /// Whether the status line of the final response (status 200 or higher) was read.
    var hasBegun: Bool { state != .status && status >= 200 }

    /// Whether all headers of the final response were read.
    var hasHeaders: Bool { state == .body }

    mutating func restart() {
        self = LimitedResponseReader(limits: limits, isHead: isHead)
    }

    func response() -> HTTPResponse? {
        guard state == .body, failure == nil else { return nil }
        return HTTPResponse(status: status, headers: HTTPHeaders(buffer: buffer, fields: fields), body: body)
    }

    /// Adds a piece of the body; false ends the transfer.
    mutating func appendBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard state == .body else { return fail(.protocolViolation, "The body began before the headers ended.") }
        guard body.count + bytes.count <= limits.maximumBodyBytes else { return failTooLarge() }
        // At most 1 MiB is reserved for bytes that have not arrived, because the app's limit may exceed the free memory. `length` may
        // exceed the limit: `readEnd` does not check `length` for a response that must not have a body.
        if body.isEmpty { body.reserveCapacity(max(bytes.count, min(length ?? 0, limits.maximumBodyBytes, 1 << 20))) }
        unsafe body.append(contentsOf: bytes)
        return true
    }

    /// Adds the status line or a header line with its line end; false ends the transfer.
    mutating func appendLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
        headerBytes += bytes.count
        guard headerBytes <= limits.maximumHeaderBytes else {
            return fail(
                .headersTooLarge,
                "The response headers are larger than \(limits.maximumHeaderBytes) bytes."
            )
        }
        if state == .body { return true }
        let start = buffer.count
        unsafe buffer.append(contentsOf: bytes)
        var end = buffer.count
        if end > start, buffer[end - 1] == 0x0A { end -= 1 }
        if end > start, buffer[end - 1] == 0x0D { end -= 1 }
        if state == .status { return readStatus(start..<end) }
        return start == end ? readEnd() : readField(start..<end)
    }

    private mutating func readStatus(_ line: Range<Int>) -> Bool {
        // "HTTP/1.1 200 OK" or "HTTP/2 200"
        let space = buffer[line].firstIndex(of: 0x20) ?? line.upperBound
        let code = buffer[line].dropFirst(space + 1 - line.lowerBound).prefix { $0 != 0x20 }
        guard buffer[line.lowerBound..<space].starts(with: "HTTP/".utf8), code.count == 3,
            code.allSatisfy(ASCII.isDigit), buffer[line].allSatisfy(ASCII.isFieldValue)
        else { return fail(.protocolViolation, "The response has no valid status line.") }
        status = code.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        guard status >= 100, status != 101 else {
            return fail(.protocolViolation, "The response has status 101 (switching protocols) or a status below 100.")
        }
        state = .fields
        isVersion10 = equals(line.lowerBound..<space, "http/1.0")
        fields.removeAll(keepingCapacity: true)
        length = nil
        isChunked = false
        return true
    }

    private mutating func readField(_ line: Range<Int>) -> Bool {
        guard let colon = buffer[line].firstIndex(of: UInt8(ascii: ":")), colon > line.lowerBound,
            buffer[line.lowerBound..<colon].allSatisfy(ASCII.isToken)
        else { return fail(.protocolViolation, "A response header is folded or has no valid name.") }
        let value = ASCII.trimmed(buffer[colon + 1..<line.upperBound]).indices
        guard buffer[value].allSatisfy(ASCII.isFieldValue) else {
            return fail(.protocolViolation, "A response header contains a control character.")
        }
        guard fields.count < Self.maximumFields else {
            return fail(.headersTooLarge, "The response has more than \(Self.maximumFields) headers.")
        }
        let field = HTTPHeaders.Field(name: line.lowerBound..<colon, value: value)
        fields.append(field)
        return inspect(field)
    }

    private mutating func inspect(_ field: HTTPHeaders.Field) -> Bool {
        if equals(field.name, "content-length") {
            let digits = buffer[field.value]
            guard !digits.isEmpty, digits.count <= 18, digits.allSatisfy(ASCII.isDigit) else {
                return fail(.protocolViolation, "The response has an invalid Content-Length.")
            }
            guard length == nil else {
                return fail(.protocolViolation, "The response has more than one Content-Length.")
            }
            length = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        } else if equals(field.name, "transfer-encoding") {
            guard equals(field.value, "chunked"), !isChunked else {
                return fail(.protocolViolation, "The response's Transfer-Encoding is not a single \"chunked\".")
            }
            // HTTP/1.0 has no transfer codings, so another parser may read the body until the connection ends (RFC 9112 section 6.1).
            guard !isVersion10 else {
                return fail(.protocolViolation, "The response is HTTP/1.0 but has a Transfer-Encoding of HTTP/1.1.")
            }
            isChunked = true
        }
        guard length == nil || !isChunked else {
            return fail(.protocolViolation, "The response has both Content-Length and Transfer-Encoding.")
        }
        return true
    }

    private mutating func readEnd() -> Bool {
        if status < 200 {
            state = .status
            buffer.removeAll(keepingCapacity: true)
            return true
        }
        state = .body
        let isBodiless = isHead || status == 204 || status == 304
        return isBodiless || length ?? 0 <= limits.maximumBodyBytes ? true : failTooLarge()
    }

    private func equals(_ range: Range<Int>, _ text: StaticString) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        let given = buffer.span.extracting(range)
        return text.withUTF8Buffer { wanted in
            for index in given.indices where unsafe ASCII.lowercased(given[index]) != wanted[index] { return false }
            return true
        }
    }

    private mutating func failTooLarge() -> Bool {
        fail(.bodyTooLarge, "The response body is larger than \(limits.maximumBodyBytes) bytes.")
    }

    private mutating func fail(_ code: HTTPTransportError.Code, _ message: String) -> Bool {
        failure = (code, message)
        return false
    }
}
