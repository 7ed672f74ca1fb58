import FoundationEssentials
import IdentityCrypto

/// Checks that both base64 alphabets have one text for each value, and that a second decoder reads the same bytes.
enum EncodingFuzz {
    static func check(_ input: [UInt8]) throws {
        try require(Base64URL.decode(Base64URL.encode(input)) == input, "base64url does not round-trip")
        try require(Base64.decode(Base64.encode(input)) == input, "base64 does not round-trip")
        if let bytes = Base64URL.decode(input) {
            try require(Base64URL.encode(bytes).utf8.elementsEqual(input), "two base64url texts for the same bytes")
            let standard = input.map { byte -> UInt8 in
                byte == UInt8(ascii: "-") ? UInt8(ascii: "+") : byte == UInt8(ascii: "_") ? UInt8(ascii: "/") : byte
            }
            let padded = standard + [UInt8](repeating: UInt8(ascii: "="), count: (4 - standard.count % 4) % 4)
            try require(Data(base64Encoded: Data(padded)).map { Array($0) } == bytes, "Foundation reads other bytes")
        }
        guard let text = String(validating: input, as: UTF8.self), let bytes = Base64.decode(text) else { return }
        try require(Base64.encode(bytes).utf8.elementsEqual(text.utf8), "two base64 texts for the same bytes")
        try require(Data(base64Encoded: text).map { Array($0) } == bytes, "Foundation reads other bytes")
    }
}
