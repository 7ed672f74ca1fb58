internal import IdentityHTTP
internal import IdentityKit

extension TapeBuilder {
    /// Reads a text from its first quotation mark to its last.
    mutating func readText(_ bytes: Span<UInt8>) throws(JSONError) -> TapeEntry {
        index += 1
        let start = index
        index = JSONText.firstSpecialByte(in: bytes, from: start)
        guard index < bytes.count else { throw failure("the text ends inside a string") }
        switch bytes[index] {
        case UInt8(ascii: "\""):
            index += 1
            return TapeEntry(.text, length: index - 1 - start, place: start)
        case UInt8(ascii: "\\"): return try readEscapedText(from: start, bytes)
        default: throw failure("unescaped control character")
        }
    }

    private mutating func readEscapedText(from start: Int, _ bytes: Span<UInt8>) throws(JSONError) -> TapeEntry {
        let place = decoded.count
        var run = start
        while true {
            unsafe bytes.extracting(run..<index).withUnsafeBufferPointer { unsafe decoded.append(contentsOf: $0) }
            guard index < bytes.count else { throw failure("the text ends inside a string") }
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index += 1
                return TapeEntry(.decodedText, length: decoded.count - place, place: place)
            case UInt8(ascii: "\\"):
                index += 1
                try readEscape(bytes)
            default: throw failure("unescaped control character")
            }
            run = index
            index = JSONText.firstSpecialByte(in: bytes, from: run)
        }
    }

    private mutating func readEscape(_ bytes: Span<UInt8>) throws(JSONError) {
        guard index < bytes.count else { throw failure("the text ends inside an escape") }
        let byte = bytes[index]
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): decoded.append(byte)
        case UInt8(ascii: "b"): decoded.append(0x08)
        case UInt8(ascii: "f"): decoded.append(0x0C)
        case UInt8(ascii: "n"): decoded.append(0x0A)
        case UInt8(ascii: "r"): decoded.append(0x0D)
        case UInt8(ascii: "t"): decoded.append(0x09)
        case UInt8(ascii: "u"):
            let first = try readFourDigits(bytes)
            if first < 0x80 {
                decoded.append(UInt8(truncatingIfNeeded: first))
            } else {
                UTF8.encode(try readScalar(after: first, bytes)).map { decoded.append(contentsOf: $0) }
            }
        default: throw failure("unknown escape")
        }
    }

    private mutating func readScalar(after first: UInt32, _ bytes: Span<UInt8>) throws(JSONError) -> Unicode.Scalar {
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, accept(UInt8(ascii: "\\"), bytes), accept(UInt8(ascii: "u"), bytes) else {
            throw failure("lone surrogate")
        }
        let second = try readFourDigits(bytes)
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw failure("lone surrogate") }
        return scalar
    }

    private mutating func readFourDigits(_ bytes: Span<UInt8>) throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard index < bytes.count else { throw failure("the text ends inside an escape") }
            guard let digit = ASCII.hexValue(bytes[index]) else { throw failure("expected a hexadecimal digit") }
            value = value << 4 | UInt32(digit)
            index += 1
        }
        return value
    }

    /// Reads a number by the grammar of RFC 8259 section 6, without its value.
    mutating func readNumber(_ bytes: Span<UInt8>) throws(JSONError) -> TapeEntry {
        let start = index
        _ = accept(UInt8(ascii: "-"), bytes)
        if !accept(UInt8(ascii: "0"), bytes) { try skipDigits(bytes) }
        if accept(UInt8(ascii: "."), bytes) { try skipDigits(bytes) }
        if accept(UInt8(ascii: "e"), bytes) || accept(UInt8(ascii: "E"), bytes) {
            if !accept(UInt8(ascii: "+"), bytes) { _ = accept(UInt8(ascii: "-"), bytes) }
            try skipDigits(bytes)
        }
        return TapeEntry(.number, length: index - start, place: start)
    }

    private mutating func skipDigits(_ bytes: Span<UInt8>) throws(JSONError) {
        let start = index
        while index < bytes.count, bytes[index] &- UInt8(ascii: "0") < 10 { index += 1 }
        guard index > start else { throw failure("expected a digit") }
    }
}
