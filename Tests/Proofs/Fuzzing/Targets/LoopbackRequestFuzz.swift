import IdentityHTTP
import IdentityKit
import IdentityLoopback

/// Checks that the loopback listener reads a request the same in one piece and in many, within its limits.
///
/// The first byte of the input selects the size of the pieces. The request that was read must round-trip.
enum LoopbackRequestFuzz {
    private struct Reading: Equatable {
        var texts: [[UInt8]] = []
        var requests: [LoopbackRequest] = []

        static func == (one: Reading, other: Reading) -> Bool { one.texts == other.texts }
    }

    /// Small limits, so that short inputs reach them.
    private static let limits = {
        var limits = LoopbackLimits()
        limits.headerBytes = 128
        limits.bodyBytes = 32
        return limits
    }()

    static func check(_ input: [UInt8]) throws {
        guard let choice = input.first else { return }
        let bytes = input.dropFirst()
        let whole = read(bytes, piece: max(1, bytes.count))
        for piece in [1, 1 + Int(choice % 16)] {
            try require(read(bytes, piece: piece) == whole, "the request differs in pieces of \(piece) bytes")
        }
        for request in whole.requests {
            try judge(request)
            let again = read(written(request)[...], piece: 4096)
            // The new Content-Length header can make the head longer than the limit.
            guard let same = again.requests.first else { continue }
            try require(again.requests.count == 1, "one request became several")
            try require(same.method.isIdentical(to: request.method), "the method differs")
            try require(same.target.isIdentical(to: request.target), "the target differs")
            try require(same.body == request.body, "the body differs")
        }
    }

    private static func read(_ bytes: ArraySlice<UInt8>, piece: Int) -> Reading {
        var parser = LoopbackRequestParser(limits: limits)
        var reading = Reading()
        var rest = bytes
        while !rest.isEmpty {
            parser.append(rest.prefix(piece))
            rest = rest.dropFirst(piece)
            reading: while true {
                switch parser.next() {
                case .needsMore: break reading
                // The parser reports `expectsContinue` only while the body has not arrived, so the event depends on the size of the pieces.
                case .expectsContinue: continue
                case .invalid(let status):
                    reading.texts.append(Array("invalid \(status)".utf8))
                case .request(let request, let keepAlive):
                    let head = [request.method, request.target] + request.headers.flatMap { [$0.name, $0.value] }
                    reading.texts.append(Array((head + ["\(keepAlive)"]).joined(separator: "\n").utf8) + request.body)
                    reading.requests.append(request)
                }
            }
        }
        return reading
    }

    private static func judge(_ request: LoopbackRequest) throws {
        try require(
            !request.method.isEmpty && request.method.utf8.allSatisfy(ASCII.isToken),
            "the method is not a token"
        )
        try require(request.target.utf8.first == UInt8(ascii: "/"), "the target is not a path")
        try require(request.target.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "the target contains invalid bytes")
        try require(request.body.count <= limits.bodyBytes, "the body is too long")
        for (name, value) in request.headers {
            try require(!name.isEmpty && name.utf8.allSatisfy(ASCII.isToken), "a header name is not a token")
            try require(value.utf8.allSatisfy { $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }, "a control character")
        }
        let size = request.headers.reduce(request.target.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        // Each invalid UTF-8 byte is replaced by three bytes.
        try require(size <= 3 * limits.headerBytes, "the head is too long")
    }

    private static func written(_ request: LoopbackRequest) -> [UInt8] {
        // An HTTP/1.0 request may have no Host.
        let version = request.header("Host") == nil ? "HTTP/1.0" : "HTTP/1.1"
        var text = "\(request.method) \(request.target) \(version)\r\n"
        let framing = ["content-length", "transfer-encoding"]
        for (name, value) in request.headers where !framing.contains(name.lowercased()) {
            text += "\(name):\(value)\r\n"
        }
        return Array("\(text)Content-Length: \(request.body.count)\r\n\r\n".utf8) + request.body
    }
}
