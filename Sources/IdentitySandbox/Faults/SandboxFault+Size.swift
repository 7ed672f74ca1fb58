extension SandboxFault {
    /// Sends a body of `count` spaces, which a JSON parser would skip, with status 200.
    public static func largeBody(_ count: Int) -> SandboxFault {
        .answer(
            status: 200,
            headers: [("Content-Type", "application/json")],
            body: String(repeating: " ", count: max(0, count))
        )
    }

    /// Adds `fields` header fields to the correct response, each with a value of `bytes` bytes.
    public static func headerBomb(fields: Int = 1000, bytes: Int = 1000) -> SandboxFault {
        .edit { response in
            let value = String(repeating: "x", count: max(0, bytes))
            response.headers += (0..<max(0, fields)).map { ("X-Bomb-\($0)", value) }
        }
    }

    /// Sends a small gzip body that expands to about `count` zero bytes.
    ///
    /// A large body expands to about 159 times its size. The response has `Content-Encoding: gzip` even if the client did not offer
    /// compression.
    public static func gzipBomb(_ count: Int = 16 << 20) -> SandboxFault {
        .answer(
            SandboxResponse(
                status: 200,
                headers: [("Content-Type", "application/json"), ("Content-Encoding", "gzip")],
                body: GzipBomb.bytes(zeros: count)
            )
        )
    }
}
