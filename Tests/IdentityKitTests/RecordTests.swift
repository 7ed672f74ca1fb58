import FoundationEssentials
import IdentityKit
import Testing

@Suite("Stored records")
struct RecordTests {
    private static let date = Date(timeIntervalSince1970: 1_790_000_000.25)

    private static let record = RecordWriter.record { record in
        record.append("text", "\u{0} \" \\ ü")
        record.append("secret", Secret(bytes: [0xFF, 0x00, 0xC0]))
        record.append("number", -1)
        record.append("date", date)
        record.append("flag", true)
        record.append("list", ["", "a", "b"])
        record.append("json", .array([.null, .string("x")]))
        record.append("missing", nil as String?)
        record.append("inner") { $0.append("text", "inside") }
    }

    @Test("a record returns each value as it was written")
    func values() throws {
        let record = try #require(RecordReader(Self.record))
        #expect(record["text"]?.string == "\u{0} \" \\ ü")
        #expect(record["secret"]?.value == [0xFF, 0x00, 0xC0])
        #expect(record["number"]?.integer == -1)
        #expect(record["date"]?.date == Self.date)
        #expect(record["flag"]?.bool == true)
        #expect(record["list"]?.strings == ["", "a", "b"])
        #expect(record["json"]?.json == .array([.null, .string("x")]))
        #expect(record["inner"]?["text"]?.string == "inside")
        #expect(record["missing"] == nil)
    }

    @Test("a value of another type is nil")
    func types() throws {
        let record = try #require(RecordReader(Self.record))
        #expect(record["secret"]?.string == nil)
        #expect(record["secret"]?.integer == nil)
        #expect(record["number"]?.date == nil)
        #expect(record["number"]?.bool == nil)
        #expect(record["text"]?.strings == nil)
        #expect(record["text"]?.json == nil)
        #expect(record["text"]?["text"] == nil)
    }

    @Test("no text or dump shows the bytes of a record")
    func privacy() throws {
        let record = try #require(RecordReader(RecordWriter.record { $0.append("secret", "s3cret") }))
        var writer: RecordWriter?
        _ = RecordWriter.record { record in
            record.append("secret", "s3cret")
            writer = record
        }
        for value in [record, try #require(record["secret"]), try #require(writer)] as [any Sendable] {
            var dumped = ""
            dump(value, to: &dumped)
            // 51 is the byte "3".
            for text in [dumped, "\(value)", String(reflecting: value)] {
                #expect(!text.contains("s3cret") && !text.contains("51"))
            }
        }
    }

    @Test("a record that ends early or has more bytes is refused, and so is the JSON that earlier versions wrote")
    func damage() {
        let bytes = Self.record.revealBytes()
        let ends = (0...bytes.count).filter { RecordReader(Secret(bytes: Array(bytes.prefix($0)))) != nil }
        // A record may end after each of its eight members, or before the first.
        #expect(ends.count == 9)
        #expect(RecordReader(Secret(bytes: bytes + [0])) == nil)
        #expect(RecordReader(Secret(bytes: [1, 0x61, 0xFF, 0xFF, 0xFF, 0xFF])) == nil)
        #expect(RecordReader(Secret(#"{"v":4,"state":"active","tokens":{}}"#)) == nil)
    }

    @Test("a login that another version stored, or whose step-up cannot be decoded, is refused")
    func attempts() throws {
        func attempt(version: Int, stepUp: String?) throws -> LoginAttempt {
            let payload = RecordWriter.record { record in
                record.append("v", version)
                record.append("provider", "p")
                record.append("state", "s")
                record.append("created_at", Self.date)
                record.append("expires_at", Self.date)
                record.append("binding", bytes: [1])
                record.append("step_up", stepUp)
            }
            return try LoginAttempt(StoredLoginAttempt(key: "k", expiresAt: Self.date, payload: payload))
        }
        #expect(try attempt(version: 2, stepUp: nil).state.reveal() == "s")
        #expect(throws: IdentityError.self) { try attempt(version: 1, stepUp: nil) }
        #expect(throws: IdentityError.self) { try attempt(version: 2, stepUp: "{}") }
    }

    @Test("a session that another version stored, or whose claims cannot be decoded, is refused")
    func sessions() throws {
        func state(version: Int, claims: String?) throws -> SessionState {
            let payload = RecordWriter.record { record in
                record.append("v", version)
                record.append("state", "active")
                record.append("tokens") { tokens in
                    tokens.append("buyer") { buyer in
                        buyer.append("issuer", "i")
                        buyer.append("subject", "b")
                    }
                    tokens.append("access_token", "a")
                    tokens.append("issued_at", Self.date)
                    tokens.append("claims", claims)
                }
            }
            return try SessionState(
                StoredSession(
                    id: try #require(SessionID(rawValue: "kX9fQ2bT7hLw0ZsN4mVcRg")),
                    provider: "p",
                    tenant: "",
                    issuer: "i",
                    subject: "b",
                    createdAt: Self.date,
                    retainedUntil: Self.date,
                    payload: payload
                )
            )
        }
        #expect(try state(version: 5, claims: nil).tokens?.accessToken.reveal() == "a")
        for (version, claims) in [(4, nil), (5, "{}")] {
            let error = #expect(throws: IdentityError.self) { try state(version: version, claims: claims) }
            #expect(error?.code == .storeCorrupt)
        }
    }
}
