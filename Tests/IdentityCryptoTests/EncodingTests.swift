import IdentityCrypto
import Testing

@Suite("Base64")
struct EncodingTests {
    @Test(
        "both alphabets match the vectors of RFC 4648",
        arguments: [
            ("", "", ""), ("f", "Zg", "Zg=="), ("fo", "Zm8", "Zm8="), ("foo", "Zm9v", "Zm9v"),
            ("foob", "Zm9vYg", "Zm9vYg=="), ("fooba", "Zm9vYmE", "Zm9vYmE="), ("foobar", "Zm9vYmFy", "Zm9vYmFy"),
        ]
    )
    func vectors(text: String, urlSafe: String, standard: String) {
        let bytes = Array(text.utf8)
        #expect(Base64URL.encode(bytes) == urlSafe)
        #expect(Base64URL.decode(urlSafe) == bytes)
        #expect(Base64.encode(bytes) == standard)
        #expect(Base64.decode(standard) == bytes)
    }

    @Test("the two alphabets differ in their last two characters")
    func alphabets() {
        #expect(Base64URL.encode([0xfb, 0xef, 0xff]) == "--__")
        #expect(Base64.encode([0xfb, 0xef, 0xff]) == "++//")
        #expect(Base64.decode("--__") == nil)
        #expect(Base64URL.decode("++//") == nil)
    }

    @Test("random bytes of every length up to 300 are unchanged after encoding and decoding")
    func roundTrip() throws {
        let random = try SecureRandom.bytes(300)
        for count in 0...random.count {
            let bytes = Array(random.prefix(count))
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
            #expect(Base64URL.encodeSecret(bytes[...]).copyBytes() == Array(Base64URL.encode(bytes).utf8))
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
            // A collection without contiguous storage uses another code path.
            #expect(Base64URL.decode(Base64URL.encode(bytes).utf8.reversed().reversed() as [UInt8]) == bytes)
            #expect(Base64URL.decode(Base64URL.encode(bytes.reversed().reversed()).utf8.lazy.map { $0 }) == bytes)
        }
    }

    @Test(
        "text that is not canonical base64url is refused",
        arguments: [
            "A", "AAAAA", "Zg==", "Zm8=", "Zg=", "=", "====", "Zh", "Zm9", "Z/", "Z+", "Zm9v\n", "\nZm9v", " Zm9v",
            "Zm 9v",
            "Zm9v ", "Zm9vé", "Zm\u{0}v", "Zm9v.", "Zm9v,Zm9v", "\u{FF21}AAA",
        ]
    )
    func refusedURL(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test(
        "text that is not canonical base64 is refused",
        arguments: [
            "A", "AAAAA", "Zg", "Zm8", "Zg=", "Zh==", "Zm9=", "Z===", "====", "=", "Zg==Zg==", "Zm8=\n", "Zm9v=",
            "Zg=A", "-_-_",
        ]
    )
    func refused(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test("of all 4,096 texts of two characters, exactly the 256 canonical ones are decoded")
    func canonical() {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        let decoded = alphabet.flatMap { first in
            alphabet.compactMap { second in Base64URL.decode([first, second])?.first }
        }
        #expect(decoded == Array(0...255))
    }
}
